import B2CCore
import B2CTestKit
import B2CTokenCache
import Foundation
import Testing

@Suite struct FileTokenCacheTests {
  private let folder: TemporaryFolder
  private let cache: FileTokenCache

  init() throws {
    folder = try TemporaryFolder()
    cache = try FileTokenCache(directory: folder.store)
  }

  @Test func keepsTheRules() async throws {
    let folders = Locked<[TemporaryFolder]>([])
    var suite = TokenCacheConformance {
      let folder = try TemporaryFolder()
      folders.withLock { $0.append(folder) }
      return try FileTokenCache(directory: folder.store)
    }
    suite.makeSecondInstance = { first in
      try FileTokenCache(directory: (first as? FileTokenCache)?.directory)
    }
    suite.makeUnreachableCache = {
      let folder = try TemporaryFolder()
      folders.withLock { $0.append(folder) }
      let cache = try FileTokenCache(directory: folder.store)
      // A file where the folder was: nothing below it can be reached, and nothing can be made there.
      try FileManager.default.removeItem(at: folder.store)
      try Data("in the way".utf8).write(to: folder.store)
      return cache
    }
    let broken = await suite.brokenRules()
    #expect(broken.isEmpty, "\(broken)")
  }

  @Test func onlyTheOwnerCanReadAnything() async throws {
    try await cache.store(Samples.record(), for: Samples.key)
    try await cache.withExclusiveAccess(to: Samples.key) {}
    #expect(try folder.mode(folder.store.path) == 0o700)
    let paths = try folder.paths()
    #expect(paths.count >= 5)
    for path in paths {
      let full = folder.store.appendingPathComponent(path)
      let isFolder = try full.resourceValues(forKeys: [.isDirectoryKey]).isDirectory == true
      #expect(try folder.mode(full.path) == (isFolder ? 0o700 : 0o600), "\(path)")
    }
  }

  @Test func aNewInstanceReadsWhatWasStored() async throws {
    try await cache.store(Samples.record(), for: Samples.key)
    let again = try FileTokenCache(directory: folder.store)
    #expect(try await again.record(for: Samples.key) == Samples.record())
    #expect(try await again.keys() == [Samples.key])
  }

  @Test func anUpdateTouchesOneFile() async throws {
    for number in 0..<20 {
      try await cache.store(
        Samples.record(), for: TokenCacheKey(authority: "a", policy: "p", clientID: "c", accountID: "\(number)"))
    }
    let before = try Dictionary(
      uniqueKeysWithValues: folder.recordFiles().map { ($0, try FileManager.default.attributesOfItem(atPath: $0.path)) }
    )
    try await cache.store(
      Samples.record("two"), for: TokenCacheKey(authority: "a", policy: "p", clientID: "c", accountID: "7"))
    var changed: [String] = []
    for file in try folder.recordFiles() {
      let number = try FileManager.default.attributesOfItem(atPath: file.path)[.systemFileNumber] as? Int
      if number != before[file]?[.systemFileNumber] as? Int { changed.append(file.lastPathComponent) }
    }
    #expect(changed == ["7.json"])
  }

  @Test func unchangedFilesAreServedFromMemory() async throws {
    let asked = Locked(0)
    let cache = try FileTokenCache(
      directory: folder.store,
      now: {
        asked.withLock { $0 += 1 }
        return Date(timeIntervalSinceNow: 3600)
      })
    try await cache.store(Samples.record(), for: Samples.key)
    _ = try await cache.record(for: Samples.key)
    // The wall clock is asked at each reading of a file and at no other time.
    let readings = asked.withLock { $0 }
    for _ in 0..<10 { #expect(try await cache.record(for: Samples.key) == Samples.record()) }
    #expect(asked.withLock { $0 } == readings)
    try await self.cache.store(Samples.record("two"), for: Samples.key)
    #expect(try await cache.record(for: Samples.key) == Samples.record("two"))
    #expect(asked.withLock { $0 } == readings + 1)
  }

  @Test(arguments: [0.0, -31_536_000, 31_536_000])
  func aWrongClockHidesNoChange(_ offset: Double) async throws {
    let cache = try FileTokenCache(directory: folder.store, now: { Date(timeIntervalSinceNow: offset) })
    for number in 0..<50 {
      try await self.cache.store(Samples.record("\(number)"), for: Samples.key)
      // A clock that is ahead makes fresh files look old; the file's number and size still tell most states apart, so
      // each value here has a length of its own.
      var longer = Samples.record("\(number)")
      longer.policyID = String(repeating: "x", count: number)
      try await self.cache.store(longer, for: Samples.key)
      #expect(try await cache.record(for: Samples.key) == longer)
    }
  }

  @Test func aFolderRemovedUnderneathIsMadeAgain() async throws {
    try await cache.store(Samples.record(), for: Samples.key)
    try FileManager.default.removeItem(at: folder.store)
    #expect(try await cache.record(for: Samples.key) == nil)
    #expect(try await cache.keys().isEmpty)
    try await cache.store(Samples.record("two"), for: Samples.key)
    #expect(try await cache.record(for: Samples.key) == Samples.record("two"))
    try FileManager.default.removeItem(at: folder.store)
    #expect(try await cache.withExclusiveAccess(to: Samples.key) { true })
    #expect(try folder.mode(folder.store.path) == 0o700)
  }

  @Test func aStoreOutlivesTheCancellationOfItsCaller() async throws {
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      try await cache.store(Samples.record(), for: Samples.key)
    }
    try await task.value
    #expect(try await FileTokenCache(directory: folder.store).record(for: Samples.key) == Samples.record())
  }

  @Test func aValueWithoutAStoredFormIsRefusedWithoutShowingIt() async throws {
    try await cache.store(Samples.record(), for: Samples.key)
    var record = Samples.record("canary-two")
    record.signedInAt = Date(timeIntervalSince1970: .infinity)
    let error = await failure { try await cache.store(record, for: Samples.key) }
    #expect(error?.code == .unwritable)
    #expect(error?.description.contains("canary") == false)
    #expect(try await cache.record(for: Samples.key) == Samples.record())
  }

  @Test func aPlaceThatIsNoFileIsRefused() throws {
    let place = try #require(URL(string: "https://contoso.example/tokens"))
    let error = #expect(throws: TokenCacheError.self) { try FileTokenCache(directory: place) }
    #expect(error?.code == .unwritable)
  }

  @Test func tokensLieInClearAndTheCacheSaysSo() {
    #expect(!cache.isEncrypted)
  }
}
