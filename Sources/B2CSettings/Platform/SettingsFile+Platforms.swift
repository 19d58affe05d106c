#if canImport(Darwin)
  extension SettingsFile {
    /// Xcode makes a binary property list of the XML one in an app's bundle.
    static let readsBinaryLists = true
  }
#else
  extension SettingsFile {
    /// Foundation's reader does not end for some binary lists here, and no app's bundle has one.
    static let readsBinaryLists = false
  }
#endif
