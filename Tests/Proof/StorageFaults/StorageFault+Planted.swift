import B2CTokenCache
import Foundation

extension StorageFault {
  /// Something else in a file's place.
  static let planted = [
    StorageFault(name: "link in a record's place", promise: "not followed; quarantined; the target stays") { scene in
      let cache = try await scene.openWithRecords()
      let file = try scene.file("person-2")
      let target = try plantTarget(scene)
      for attempt in 1...2 {
        try FileManager.default.removeItem(atPath: file)
        try FileManager.default.createSymbolicLink(atPath: file, withDestinationPath: target)
        if attempt == 1 {
          try await scene.expect(.damaged, from: "reading") {
            _ = try await cache.record(for: ProofRecord.key("person-2"))
          }
          try Data().write(to: URL(fileURLWithPath: file))
        }
      }
      try await cache.store(ProofRecord.record(9), for: ProofRecord.key("person-2"))
      try expectTarget(target)
      try await scene.expectRecords([1, 9, 3])
    },
    StorageFault(name: "link in the directory's place", promise: "refused; the target stays empty") { scene in
      let target = scene.beside("target")
      try FileManager.default.createDirectory(at: target, withIntermediateDirectories: true)
      try FileManager.default.createSymbolicLink(atPath: scene.folder.path, withDestinationPath: target.path)
      try await scene.expect(.insecurePermissions, from: "opening") { _ = try scene.open() }
      guard try FileManager.default.contentsOfDirectory(atPath: target.path).isEmpty else {
        throw ProofError("something was written through the link")
      }
    },
    StorageFault(name: "link in a temporary file's place", promise: "not followed; the target stays") { scene in
      let cache = try await scene.openWithRecords()
      let target = try plantTarget(scene)
      let temporary = try scene.file("person-2").replacingOccurrences(of: ".json", with: ".new")
      try FileManager.default.createSymbolicLink(atPath: temporary, withDestinationPath: target)
      try await cache.store(ProofRecord.record(9), for: ProofRecord.key("person-2"))
      try expectTarget(target)
      try await scene.expectRecords([1, 9, 3])
    },
    StorageFault(name: "link in a lock's place", promise: "unwritable, never without a lock") { scene in
      let cache = try await scene.openWithRecords()
      let target = try plantTarget(scene)
      let lock = try scene.file("person-2").replacingOccurrences(of: ".json", with: ".lock")
      if !scene.isBroken { try FileManager.default.removeItem(atPath: lock) }
      try FileManager.default.createSymbolicLink(atPath: lock, withDestinationPath: target)
      try await scene.expect(.unwritable, from: "storing") {
        try await cache.store(ProofRecord.record(9), for: ProofRecord.key("person-2"))
      }
      try expectTarget(target)
      try await scene.expectRecords([1, 2, 3], cache)
    },
    StorageFault(name: "damaged record", promise: "quarantined and named; the others stay") { scene in
      let cache = try await scene.openWithRecords()
      let file = try scene.file("person-2")
      let whole = try Data(contentsOf: URL(fileURLWithPath: file))
      for length in [0, 1, whole.count / 2, whole.count - 1] {
        try FileManager.default.removeItem(atPath: file)
        _ = FileManager.default.createFile(
          atPath: file, contents: whole.prefix(length), attributes: [.posixPermissions: 0o600])
        try await scene.expect(.damaged, from: "reading \(length) of \(whole.count) bytes") {
          _ = try await cache.record(for: ProofRecord.key("person-2"))
        }
        try await cache.store(ProofRecord.record(2), for: ProofRecord.key("person-2"))
        try await scene.expectRecords()
      }
    },
    StorageFault(name: "record of another key", promise: "quarantined, not returned") { scene in
      let cache = try await scene.openWithRecords()
      let (one, two) = (try scene.file("person-1"), try scene.file("person-2"))
      try FileManager.default.removeItem(atPath: two)
      try FileManager.default.copyItem(atPath: one, toPath: two)
      try await scene.expect(.damaged, from: "reading") {
        _ = try await cache.record(for: ProofRecord.key("person-2"))
      }
    },
    StorageFault(name: "record of a newer version", promise: "refused; not a byte of it changes") { scene in
      let cache = try await scene.openWithRecords()
      let file = URL(fileURLWithPath: try scene.file("person-2"))
      let newer = try String(contentsOf: file, encoding: .utf8)
        .replacingOccurrences(of: "\"v\":1", with: "\"v\":2")
      try FileManager.default.removeItem(at: file)
      _ = FileManager.default.createFile(
        atPath: file.path, contents: Data(newer.utf8), attributes: [.posixPermissions: 0o600])
      try await scene.expect(.newerVersion, from: "reading") {
        _ = try await cache.record(for: ProofRecord.key("person-2"))
      }
      try await scene.expect(.newerVersion, from: "storing") {
        try await cache.store(ProofRecord.record(9), for: ProofRecord.key("person-2"))
      }
      guard try String(contentsOf: file, encoding: .utf8) == newer else { throw ProofError("the record was changed") }
    },
  ]

  private static let content = "not to be touched"

  private static func plantTarget(_ scene: StorageFaultScene) throws -> String {
    let target = scene.beside("target").path
    _ = FileManager.default.createFile(
      atPath: target, contents: Data(content.utf8), attributes: [.posixPermissions: 0o600])
    return target
  }

  private static func expectTarget(_ target: String) throws {
    guard try String(contentsOfFile: target, encoding: .utf8) == content else {
      throw ProofError("the link's target was written to")
    }
  }
}
