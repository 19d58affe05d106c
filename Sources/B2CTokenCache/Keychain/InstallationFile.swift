internal import B2CCore
package import Foundation

/// The file that tells one installation of an app from the next: it goes with the app, keychain items stay.
package struct InstallationFile: Sendable {
  private let file: URL

  /// Names the file of a bundle and a service in a directory that is deleted with the app.
  package init(directory: URL, bundleID: String, service: String) {
    let name = "B2CConnector.Installation.\(FormEncoding.escape(bundleID)).\(FormEncoding.escape(service))"
    file = directory.appendingPathComponent(name, isDirectory: false)
  }

  /// Returns the id of this installation, a new one the first time; `nil` when the file cannot be read or written.
  ///
  /// The file stays in backups: what a backup brings back belongs to the items that the same backup brings back.
  func id() -> String? {
    do {
      return try stored()
    } catch let error as CocoaError where error.code == .fileReadNoSuchFile {
      do {
        let directory = file.deletingLastPathComponent()
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        try Data(UUID().uuidString.utf8).write(to: file, options: [.atomic])
        return try stored()
      } catch {
        return nil
      }
    } catch {
      return nil
    }
  }

  private func stored() throws -> String? {
    UUID(uuidString: String(decoding: try Data(contentsOf: file), as: UTF8.self))?.uuidString
  }
}
