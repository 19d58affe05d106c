import B2CTokenCache
import Foundation

/// A way for storage to fail, and what has to come of it.
struct StorageFault: Sendable {
  /// What has to be made ready by the superuser before.
  enum Ground: Sendable {
    case folder
    /// A small file system in memory with these options of `mount`.
    case device(String)
  }

  let name: String
  /// What has to come of it, for the table.
  let promise: String
  var ground = Ground.folder
  let play: @Sendable (StorageFaultScene) async throws -> Void

  /// Whether the scene keeps the superuser's rights; without a file system of its own it has to lose them, since
  /// permissions mean nothing to the superuser.
  var needsRoot: Bool {
    if case .device = ground { true } else { false }
  }

  static let all = full + permissions + planted + states
}

extension StorageFault {
  /// Time, absence and other holders.
  static let states = [
    StorageFault(name: "clock gone back", promise: "every change is seen, nothing lost") { scene in
      let ahead = try scene.open()
      let behind = try scene.open(now: { Date(timeIntervalSinceNow: -31_536_000) })
      for number in 1...40 {
        let (writer, reader) = number % 2 == 0 ? (ahead, behind) : (behind, ahead)
        try await writer.store(ProofRecord.record(number), for: ProofRecord.key("person-1"))
        try await scene.expectRecords([number], reader)
        try await scene.expectRecords([number], writer)
      }
    },
    StorageFault(name: "file times set back", promise: "every change is seen") { scene in
      let reader = try await scene.openWithRecords()
      let writer = try scene.open()
      for number in 10...30 {
        try await scene.expectRecords([1, number == 10 ? 2 : number - 1, 3], reader)
        try await writer.store(ProofRecord.record(number), for: ProofRecord.key("person-2"))
        try FileManager.default.setAttributes(
          [.modificationDate: Date(timeIntervalSince1970: 0)], ofItemAtPath: try scene.file("person-2"))
      }
      try await scene.expectRecords([1, 30, 3], reader)
    },
    StorageFault(name: "directory removed", promise: "empty, created again by the next store") { scene in
      let cache = try await scene.openWithRecords()
      try FileManager.default.removeItem(at: scene.folder)
      guard try await cache.record(for: ProofRecord.key("person-1")) == nil, try await cache.keys().isEmpty else {
        throw ProofError("what was removed is still given out")
      }
      try await cache.store(ProofRecord.record(1), for: ProofRecord.key("person-1"))
      try await scene.expectRecords([1])
      guard try ProofFolder.openToOthers(scene.folder).isEmpty else { throw ProofError("made open to others") }
    },
    StorageFault(name: "lock held by another", promise: "lockTimedOut; the body does not run") { scene in
      let holder = try await scene.openWithRecords()
      let other = try scene.open()
      try await holder.withRefreshLock(for: ProofRecord.key("person-1")) {
        try await scene.expect(.lockTimedOut, from: "waiting") {
          try await other.withRefreshLock(for: ProofRecord.key("person-1")) {
            throw ProofError("the body has run")
          }
        }
      }
      try await other.withRefreshLock(for: ProofRecord.key("person-1")) {}
      try await scene.expectRecords()
    },
  ]
}

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
