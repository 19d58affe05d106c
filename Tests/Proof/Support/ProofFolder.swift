import Foundation

/// A folder for one proof, removed at its end.
struct ProofFolder {
  let url: URL

  init(_ name: String) throws {
    url = FileManager.default.temporaryDirectory
      .appendingPathComponent("b2c-proof-\(name)-\(UUID().uuidString)", isDirectory: true)
    try FileManager.default.createDirectory(
      at: url, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
  }

  func remove() {
    try? FileManager.default.removeItem(at: url)
  }

  /// Everything below a folder that others could open, as "path (mode)".
  static func openToOthers(_ url: URL) throws -> [String] {
    try FileManager.default.subpathsOfDirectory(atPath: url.path).compactMap { path in
      let attributes = try FileManager.default.attributesOfItem(atPath: url.path + "/" + path)
      let mode = (attributes[.posixPermissions] as? NSNumber)?.intValue ?? -1
      let isFolder = attributes[.type] as? FileAttributeType == .typeDirectory
      return mode == (isFolder ? 0o700 : 0o600) ? nil : "\(path) (\(String(mode, radix: 8)))"
    }
  }

  /// The temporary files in a cache's folder.
  static func strayFiles(_ url: URL) -> [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: url.path)) ?? []).filter { $0.hasSuffix(".new") }
  }
}
