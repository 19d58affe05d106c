import B2CTokenCache
import Foundation

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
