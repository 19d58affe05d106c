package import Foundation

/// A directory for this user alone, which is removed when the object goes away.
package final class TemporaryDirectory: Sendable {
  package let url: URL

  package init(_ name: String = "test") throws {
    url = FileManager.default.temporaryDirectory
      .appendingPathComponent("b2c-\(name)-\(UUID().uuidString)", isDirectory: true)
    try FileManager.default.createDirectory(
      at: url, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
  }

  deinit { remove() }

  /// Removes the directory; a `defer` with this call also keeps the object until then.
  package func remove() { try? FileManager.default.removeItem(at: url) }
}
