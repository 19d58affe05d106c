#if canImport(Security) && !os(tvOS)
  internal import Foundation

  extension InstallationFile {
    /// The file of a service in Application Support; `nil` where there is no such directory.
    static func inApplicationSupport(service: String) -> InstallationFile? {
      guard
        let directory = FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask).first
      else { return nil }
      let bundleID = Bundle.main.bundleIdentifier ?? ProcessInfo.processInfo.processName
      return InstallationFile(directory: directory, bundleID: bundleID, service: service)
    }
  }
#endif
