#if canImport(Darwin)
  extension SettingsFile {
    /// Xcode makes a binary property list of the XML one in an app's bundle.
    static let readsBinaryLists = true
  }
#endif
