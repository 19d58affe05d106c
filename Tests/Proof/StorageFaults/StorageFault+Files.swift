import B2CTokenCache
import Foundation

extension StorageFault {
  /// No permission, or too much of it.
  static let permissions = [
    StorageFault(name: "read-only directory", promise: "unwritable; reading goes on") { scene in
      let cache = try await scene.openWithRecords()
      let folders = [scene.folder.path] + (try scene.paths().filter(isFolder))
      for folder in folders { try setMode(0o500, folder) }
      defer { for folder in folders { try? setMode(0o700, folder) } }
      try await scene.expect(.unwritable, from: "storing") {
        try await cache.store(ProofRecord.record(9), for: ProofRecord.key("person-2"))
      }
      try await scene.expect(.unwritable, from: "removing") {
        try await cache.removeRecord(for: ProofRecord.key("person-2"))
      }
      try await scene.expectRecords([1, 2, 3], cache)
      for folder in folders { try setMode(0o700, folder) }
      try await scene.expectRecords()
    },
    StorageFault(name: "record forbidden", promise: "unreadable, not absent; back when allowed") { scene in
      let cache = try await scene.openWithRecords()
      let file = try scene.file("person-2")
      try setMode(0, file)
      for cache in [cache, try scene.open()] {
        try await scene.expect(.unreadable, from: "reading") {
          _ = try await cache.record(for: ProofRecord.key("person-2"))
        }
      }
      try await scene.expect(.unwritable, .unreadable, from: "storing over what cannot be looked at") {
        try await cache.store(ProofRecord.record(9), for: ProofRecord.key("person-2"))
      }
      try setMode(0o600, file)
      try await scene.expectRecords()
    },
    StorageFault(name: "directory forbidden", promise: "unreadable, not empty; back when allowed") { scene in
      let cache = try await scene.openWithRecords()
      let directory = scene.folder.path
      try setMode(0, directory)
      defer { try? setMode(0o700, directory) }
      try await scene.expect(.unreadable, from: "reading") {
        _ = try await cache.record(for: ProofRecord.key("person-2"))
      }
      try await scene.expect(.unreadable, from: "listing") { _ = try await cache.keys() }
      try setMode(0o700, directory)
      try await scene.expectRecords()
    },
    StorageFault(name: "directory open to others", promise: "refused, with the fix") { scene in
      _ = try await scene.openWithRecords()
      for mode in [0o777, 0o770, 0o722] {
        try setMode(mode, scene.folder.path)
        try await scene.expect(.insecurePermissions, from: "opening with mode \(String(mode, radix: 8))") {
          _ = try scene.open()
        }
      }
      try setMode(0o700, scene.folder.path)
      try await scene.expectRecords()
    },
    StorageFault(name: "parent directory open to others", promise: "refused, with the fix") { scene in
      _ = try await scene.openWithRecords()
      let parent = scene.folder.deletingLastPathComponent().path
      for mode in [0o777, 0o702] {
        try setMode(mode, parent)
        try await scene.expect(.insecurePermissions, from: "opening with a parent of mode \(String(mode, radix: 8))") {
          _ = try scene.open()
        }
      }
      try setMode(0o700, parent)
      try await scene.expectRecords()
    },
    StorageFault(name: "record open to others", promise: "refused; the next store fixes it") { scene in
      let cache = try await scene.openWithRecords()
      let file = try scene.file("person-2")
      for mode in [0o644, 0o640, 0o604, 0o660] {
        try setMode(mode, file)
        try await scene.expect(.insecurePermissions, from: "reading with mode \(String(mode, radix: 8))") {
          _ = try await cache.record(for: ProofRecord.key("person-2"))
        }
      }
      try await cache.store(ProofRecord.record(9), for: ProofRecord.key("person-2"))
      try await scene.expectRecords([1, 9, 3])
      let open = try ProofFolder.openToOthers(scene.folder)
      guard open.isEmpty else { throw ProofError("open to others: \(open)") }
    },
    StorageFault(name: "umask that hides nothing", promise: "0600 and 0700 all the same") { scene in
      umask(0)
      _ = try await scene.openWithRecords()
      let open = try ProofFolder.openToOthers(scene.folder)
      guard open.isEmpty else { throw ProofError("open to others: \(open)") }
      try await scene.expectRecords()
    },
  ]

  static func setMode(_ mode: Int, _ path: String) throws {
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
  }

  private static func isFolder(_ path: String) -> Bool {
    (try? FileManager.default.attributesOfItem(atPath: path)[.type]) as? FileAttributeType == .typeDirectory
  }
}

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
