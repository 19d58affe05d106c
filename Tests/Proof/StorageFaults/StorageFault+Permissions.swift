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
