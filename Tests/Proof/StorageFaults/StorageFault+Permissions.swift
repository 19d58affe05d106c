import B2CTokenCache
import Foundation

extension StorageFault {
  /// No permission, or too much of it.
  static let permissions = [
    StorageFault(name: "read-only folder", promise: "unwritable; reading goes on") { scene in
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
    StorageFault(name: "folder forbidden", promise: "unreadable, not empty; back when allowed") { scene in
      let cache = try await scene.openWithRecords()
      let group = URL(fileURLWithPath: try scene.file("person-2")).deletingLastPathComponent().path
      try setMode(0, group)
      defer { try? setMode(0o700, group) }
      try await scene.expect(.unreadable, from: "reading") {
        _ = try await cache.record(for: ProofRecord.key("person-2"))
      }
      try await scene.expect(.unreadable, from: "listing") { _ = try await cache.keys() }
      try setMode(0o700, group)
      try await scene.expectRecords()
    },
    StorageFault(name: "folder open to others", promise: "refused, with the mend") { scene in
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
    StorageFault(name: "record open to others", promise: "refused; the next store mends it") { scene in
      let cache = try await scene.openWithRecords()
      let file = try scene.file("person-2")
      try setMode(0o644, file)
      try await scene.expect(.insecurePermissions, from: "reading") {
        _ = try await cache.record(for: ProofRecord.key("person-2"))
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
