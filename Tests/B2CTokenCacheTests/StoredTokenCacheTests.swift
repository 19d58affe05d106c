import B2CTestKit
import Foundation
import TestSupport
import Testing

@Suite(.hangLimit) struct StoredTokenCacheTests {
  private let temporary: TemporaryDirectory
  private let cache: StoredTokenCache

  init() throws {
    temporary = try TemporaryDirectory()
    cache = try .files(at: temporary.store)
  }

  static let kinds: [(sealingKey: Data?, locksFiles: Bool)] = [(nil, true), (Samples.sealingKey, true), (nil, false)]

  @Test("The conformance suite finds nothing in files, plain, sealed, or locked by no process", arguments: kinds)
  func conformance(_ key: Data?, _ locksFiles: Bool) async throws {
    let places = Recorder<TemporaryDirectory>()
    let make = { @Sendable in
      let place = try TemporaryDirectory()
      places.record(place)
      return try StoredTokenCache.process(at: place.store, sealedWith: key, locksFiles: locksFiles)
    }
    let second: @Sendable (StoredTokenCache) async throws -> StoredTokenCache = { _ in
      try StoredTokenCache.process(at: try #require(places.values.last).store, sealedWith: key)
    }
    let broken = try await TokenCacheConformance.brokenRules(
      // Without locks only one process writes.
      makeSecondInstance: locksFiles ? second : nil,
      makeUnreachableCache: {
        let cache = try make()
        // A file in the directory's place: nothing below it can be reached, and nothing can be created there.
        let store = try #require(places.values.last).store
        try FileManager.default.removeItem(at: store)
        try Data("in the way".utf8).write(to: store)
        return cache
      }, makeCache: make)
    #expect(broken == [])
    let paths = try places.values.dropLast().flatMap { try $0.paths() }
    #expect(paths.contains { !$0.hasSuffix(".json") } == locksFiles)
  }

  @Test("Unchanged files are served from memory")
  func memory() async throws {
    // The wall clock is asked at each reading of a file and at no other time.
    let readings = Locked(0)
    let reader = try StoredTokenCache.process(
      at: temporary.store,
      now: {
        readings.withLock { $0 += 1 }
        return Date(timeIntervalSinceNow: 3600)
      })
    for (number, mark) in ["one", "two"].enumerated() {
      try await cache.store(mark)
      for _ in 0..<10 { #expect(try await reader.sample() == Samples.record(mark)) }
      #expect(readings.withLock { $0 } == number + 1)
    }
  }

  @Test("Two states within one step of the file system's clock are told apart")
  func sameStamp() async throws {
    let now = Date()
    try await cache.store("one")
    // The number of a removed file is used again, and size and times are the same: nothing tells the new file from it.
    let first = Locked<FileStatus?>(nil)
    let files = WatchedFileSystem(changingStatus: { path, status in
      guard path.hasSuffix(".json") else { return status }
      return first.withLock { first in
        first = first ?? status
        return first ?? status
      }
    })
    let reader = try StoredTokenCache.process(at: temporary.store, files: files, now: { now })
    #expect(try await reader.sample() == Samples.record())
    try await cache.store("two")
    #expect(try await reader.sample() == Samples.record("two"))
  }

  @Test("A directory that was removed is created again, also if no process locks files", arguments: [true, false])
  func removedDirectory(_ locksFiles: Bool) async throws {
    let cache = try StoredTokenCache.process(at: temporary.store, locksFiles: locksFiles)
    for mark in ["one", "two"] {
      try await cache.store(mark)
      #expect(try await cache.sample() == Samples.record(mark))
      try FileManager.default.removeItem(at: temporary.store)
      #expect(try await cache.sample() == nil)
      #expect(try await cache.keys().isEmpty)
    }
    #expect(try await cache.underRefreshLock(of: Samples.key) { true })
    if locksFiles { #expect(try temporary.mode(temporary.store.path) == 0o700) }
  }

  @Test("Stores, replacements and removals go on when their caller is cancelled")
  func cancellation() async throws {
    try await cache.store(Samples.record(), for: Samples.otherKey)
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      try await cache.store("one")
      #expect(try await cache.replace(with: "two"))
      try await cache.removeRecord(for: Samples.otherKey)
    }
    try await task.value
    let again = try StoredTokenCache.process(at: temporary.store)
    #expect(try await again.sample() == Samples.record("two"))
    #expect(try await again.record(for: Samples.otherKey) == nil)
  }

  @Test("A value without a stored form is refused without showing it")
  func unstorable() async throws {
    try await cache.store("one")
    var record = Samples.record("canary-two")
    record.signedInAt = Date(timeIntervalSince1970: .infinity)
    await expectFailure("cannot be stored") { [record] in try await cache.store(record, for: Samples.key) }
    #expect(try await cache.sample() == Samples.record())
  }

  // MARK: Opening

  @Test("Two caches of one directory and sealing key are one object, however the path is written")
  func onePlace() throws {
    let link = temporary.url.appendingPathComponent("link")
    try FileManager.default.createSymbolicLink(at: link, withDestinationURL: temporary.url)
    let path = temporary.url.path
    for written in [path + "/store", path + "/store/", path + "/./other/../store", link.path + "/store"] {
      #expect(try StoredTokenCache.files(at: URL(fileURLWithPath: written)) === cache, "\(written)")
    }
    // Also of one that the first call creates.
    let new = try StoredTokenCache.files(at: link.appendingPathComponent("new"))
    #expect(try StoredTokenCache.files(at: temporary.url.appendingPathComponent("new")) === new)
    #expect(new !== cache)
    let sealed = try StoredTokenCache.files(at: temporary.store, sealedWith: Samples.sealingKey)
    #expect(try StoredTokenCache.files(at: temporary.store, sealedWith: Samples.sealingKey) === sealed)
    #expect(try StoredTokenCache.files(at: temporary.store, sealedWith: Data(repeating: 8, count: 32)) !== sealed)
    #expect(sealed !== cache)
  }

  @Test("A cache that no one holds goes, and its place can be opened again")
  func released() throws {
    let place = temporary.url.appendingPathComponent("released")
    weak var released: StoredTokenCache?
    do {
      let cache = try StoredTokenCache.files(at: place)
      released = cache
      #expect(released === cache)
    }
    #expect(released == nil)
    _ = try StoredTokenCache.files(at: place)
  }

  @Test("A place that is not a file is refused")
  func notAFile() throws {
    let place = try #require(URL(string: "https://contoso.example/tokens"))
    expectError(ConnectorError.self, .tokenCache, saying: "must be a file URL, but its scheme is https") {
      try StoredTokenCache.files(at: place)
    }
  }
}
