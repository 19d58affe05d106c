#if !canImport(Darwin)
  extension SettingsFile {
    /// Foundation's reader does not end for some binary lists here, and no app's bundle has one.
    static let readsBinaryLists = false
  }
#endif
