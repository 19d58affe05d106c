#if canImport(Darwin)
  extension SettingsFile {
    /// Whether binary property lists are read, because Xcode converts the XML one in an app's bundle into one.
    static let readsBinaryLists = true
  }
#else
  extension SettingsFile {
    /// Whether binary property lists are read, which is false because some make Foundation's parser loop forever here.
    static let readsBinaryLists = false
  }
#endif
