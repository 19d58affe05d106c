import B2CTokenCache
import Foundation

extension StorageFault {
  /// No room.
  static let full = [
    StorageFault(name: "file size limit", promise: "unwritable; the old record stays") { scene in
      let cache = try await scene.openWithRecords()
      ResourceLimits.setFileSize(1024)
      try await scene.expect(.unwritable, from: "storing without room") {
        try await cache.store(ProofRecord.record(9, size: 100_000), for: ProofRecord.key("person-2"))
      }
      try await scene.expectRecords([1, 2, 3], cache)
      ResourceLimits.setFileSize(nil)
      try await scene.expectRecords()
      try await cache.store(ProofRecord.record(9, size: 100_000), for: ProofRecord.key("person-2"))
      try await scene.expectRecords([1, 9, 3])
    },
    StorageFault(
      name: "full device", promise: "unwritable; every record stays; goes on when there is room",
      ground: .device("size=400k,mode=0700")
    ) { scene in
      let cache = try await scene.openWithRecords()
      try await fill(cache, scene)
      try await cache.removeRecord(for: ProofRecord.key("filler-0"))
      try await cache.store(ProofRecord.record(9, size: 10_000), for: ProofRecord.key("person-2"))
      try await scene.expectRecords([1, 9, 3])
    },
    StorageFault(
      name: "no room for another file", promise: "unwritable; every record stays",
      ground: .device("size=4m,nr_inodes=30,mode=0700")
    ) { scene in
      let cache = try await scene.openWithRecords()
      try await fill(cache, scene)
      try await scene.expectRecords()
    },
    StorageFault(
      name: "device turned read-only", promise: "unwritable; reading goes on", ground: .device("size=1m,mode=0700")
    ) { scene in
      let cache = try await scene.openWithRecords()
      let device = scene.folder.deletingLastPathComponent().path
      guard Privileges.remount(device, "ro") else { throw ProofError("the device cannot be turned") }
      try await scene.expect(.unwritable, from: "storing") {
        try await cache.store(ProofRecord.record(9), for: ProofRecord.key("person-2"))
      }
      try await scene.expect(.unwritable, from: "removing") {
        try await cache.removeRecord(for: ProofRecord.key("person-2"))
      }
      try await scene.expectRecords([1, 2, 3], cache)
      guard Privileges.remount(device, "rw") else { throw ProofError("the device cannot be turned back") }
      try await scene.expectRecords()
    },
    StorageFault(name: "no descriptor left", promise: "typed errors; nothing is taken for absent") { scene in
      let cache = try await scene.openWithRecords()
      let fresh = try scene.open()
      ResourceLimits.setDescriptors(3)
      defer { ResourceLimits.setDescriptors(nil) }
      try await scene.expect(.unreadable, from: "reading") {
        _ = try await fresh.record(for: ProofRecord.key("person-1"))
      }
      try await scene.expect(.unreadable, from: "listing") { _ = try await fresh.keys() }
      try await scene.expect(.unwritable, from: "storing") {
        try await cache.store(ProofRecord.record(9), for: ProofRecord.key("person-2"))
      }
      ResourceLimits.setDescriptors(nil)
      try await scene.expectRecords()
    },
  ]

  /// Stores until there is no room, and looks whether all that was stored is there.
  private static func fill(_ cache: any TokenCache, _ scene: StorageFaultScene) async throws {
    var count = 0
    try await scene.expect(.unwritable, from: "filling the device") {
      while count < 1000 {
        try await cache.store(ProofRecord.record(count, size: 20_000), for: ProofRecord.key("filler-\(count)"))
        count += 1
      }
    }
    try await scene.expect(.unwritable, from: "storing a larger record on a full device") {
      try await cache.store(ProofRecord.record(9, size: 4_500_000), for: ProofRecord.key("person-2"))
    }
    for number in 0..<count {
      let record = try await cache.record(for: ProofRecord.key("filler-\(number)"))
      guard record.flatMap(ProofRecord.number) == number else { throw ProofError("filler \(number) is lost") }
    }
    try await scene.expectRecords([1, 2, 3], cache)
  }
}
