import B2CCore
import B2CTestKit
import B2CTokenCache
import Foundation
import TestSupport
import Testing

/// Keychain records that several processes share, with real lock files.
@Suite("Keychain, shared by processes", .timeLimit(.minutes(10)))
struct SharedKeychainTests {
  private static let account = Samples.key.canonicalText

  private let temporary: TemporaryDirectory
  private let keychain = DictionaryKeychain()
  private let app: SharedKeychain
  private let widget: SharedKeychain

  init() throws {
    temporary = try TemporaryDirectory()
    app = SharedKeychain(keychain, lockedIn: temporary.url)
    widget = SharedKeychain(keychain.otherProcess(), lockedIn: temporary.url)
  }

  @Test("The conformance suite finds nothing, with two processes and with two caches of one", arguments: [true, false])
  func conformance(_ isOtherProcess: Bool) async throws {
    let made = Locked<(DictionaryKeychain, TemporaryDirectory)?>(nil)
    var suite = TokenCacheConformance(timeLimit: .patience) {
      let (keychain, temporary) = (DictionaryKeychain(), try TemporaryDirectory())
      made.withLock { $0 = (keychain, temporary) }
      return SharedKeychain(keychain, lockedIn: temporary.url)
    }
    suite.makeSecondInstance = { first in
      guard let (keychain, temporary) = made.withLock({ $0 }) else { return first }
      return SharedKeychain(isOtherProcess ? keychain.otherProcess() : keychain, lockedIn: temporary.url)
    }
    suite.makeUnreachableCache = {
      let (keychain, temporary) = (DictionaryKeychain(), try TemporaryDirectory())
      made.withLock { $0 = (keychain, temporary) }
      keychain.fail(with: .notAvailable)
      return SharedKeychain(keychain, lockedIn: temporary.url)
    }
    let broken = try await suite.brokenRules()
    #expect(broken.isEmpty, "\(broken)")
  }

  @Test("Without a directory the conformance suite finds nothing within one process")
  func conformanceWithoutDirectory() async throws {
    let made = Locked<DictionaryKeychain?>(nil)
    let cache = { @Sendable (keychain: DictionaryKeychain) in
      SharedKeychain(KeychainRecords(keychain, process: DictionaryKeychain.app))
    }
    var suite = TokenCacheConformance(timeLimit: .patience) {
      let keychain = DictionaryKeychain()
      made.withLock { $0 = keychain }
      return cache(keychain)
    }
    suite.makeSecondInstance = { first in made.withLock { $0 }.map(cache) ?? first }
    let broken = try await suite.brokenRules()
    #expect(broken.isEmpty, "\(broken)")
  }

  @Test("A refresh lock keeps another process out where there is a directory for it", arguments: [true, false])
  func refreshLock(_ hasDirectory: Bool) async throws {
    let other =
      hasDirectory
      ? SharedKeychain(
        keychain.otherProcess(), lockedIn: temporary.url, lockTimeout: .seconds(5), clock: LeapingClock())
      : SharedKeychain(KeychainRecords(keychain.otherProcess(), process: DictionaryKeychain.app))
    try await app.withRefreshLock(for: Samples.key) {
      let error = await failure { try await other.withRefreshLock(for: Samples.key) {} }
      #expect(error?.code == (hasDirectory ? .lockTimedOut : nil))
      try await other.withRefreshLock(for: Samples.otherKey) {}
    }
    try await other.withRefreshLock(for: Samples.key) {}
  }

  @Test("A write waits for that of another process, and no longer than the lock's time")
  func writeLock() async throws {
    try await app.store(Samples.record(), for: Samples.key)
    let late = SharedKeychain(
      keychain.otherProcess(), lockedIn: temporary.url, lockTimeout: .seconds(5), clock: LeapingClock())
    let name = try #require(try lockFiles().first { $0.hasSuffix(".lock") })
    let files = POSIXFileSystem()
    let path = locks.appendingPathComponent(name).path
    let descriptor = try files.open(path, .locking)
    #expect(try files.lockIfFree(descriptor, at: path))
    let writes: [@Sendable () async throws -> Void] = [
      { try await late.store(Samples.record("two"), for: Samples.key) },
      { try await late.update(Samples.key) { _ in nil } },
      { try await late.removeRecord(for: Samples.key) },
    ]
    for write in writes { #expect(await failure(write)?.code == .lockTimedOut) }
    #expect(try await late.record(for: Samples.key) == Samples.record())
    files.close(descriptor)
    try await late.removeRecord(for: Samples.key)
    #expect(try await app.record(for: Samples.key) == nil)
  }

  @Test("A copy is used after a look at its item, under a lock the item itself, also in a group named after the app")
  func copies() async throws {
    try await app.store(Samples.record(), for: Samples.key)
    #expect(try await app.record(for: Samples.key) == Samples.record())
    _ = keychain.takeCalls()
    #expect(try await app.record(for: Samples.key) == Samples.record())
    #expect(keychain.takeCalls() == [.attributes])
    let underLock = try await app.withRefreshLock(for: Samples.key) {
      (try await app.record(for: Samples.key), keychain.takeCalls())
    }
    #expect(underLock.0 == Samples.record())
    #expect(underLock.1 == [.item])
    #expect(try await app.update(Samples.key) { $0 } == Samples.record())
    #expect(keychain.takeCalls() == [.item])
  }

  @Test("What another process did is seen by the next reading: a refresh, a sign-out")
  func otherProcess() async throws {
    try await app.store(Samples.record(), for: Samples.key)
    for cache in [app, widget] { #expect(try await cache.record(for: Samples.key) == Samples.record()) }
    try await app.update(Samples.key) { _ in Samples.record("two") }
    #expect(try await widget.record(for: Samples.key) == Samples.record("two"))
    try await widget.removeRecord(for: Samples.key)
    #expect(try await app.record(for: Samples.key) == nil)
    #expect(try await app.keys().isEmpty)
  }

  @Test("The directory holds two empty files for each key, open to no other user")
  func emptyFiles() async throws {
    try await app.store(Samples.record(), for: Samples.key)
    try await app.withRefreshLock(for: Samples.key) {
      try await widget.update(Samples.key) { _ in Samples.record("two") }
      try expectEmptyFiles()
    }
    try await app.proveWritable()
    try expectEmptyFiles()
    try await widget.removeRecord(for: Samples.key)
    #expect(try FileManager.default.contentsOfDirectory(atPath: temporary.url.path) == ["B2CConnector.locks"])
    #expect(try lockFiles().filter { !$0.hasPrefix("00") }.count == 2)
  }

  @Test("A lock is given back when the process's time ends, with a note that keeps others waiting for the request")
  func suspension() async throws {
    let clock = TestClock()
    let other = SharedKeychain(
      keychain.otherProcess(), lockedIn: temporary.url, lockTimeout: .seconds(60), clock: clock, now: { clock.date })
    let time = RefreshTime()
    try await RefreshTime.$current.withValue(time) {
      try await app.withRefreshLock(for: Samples.key) {
        #expect(time.startRequest(at: clock.date, limit: 20))
        time.end()
        let start = clock.date
        try await other.withRefreshLock(for: Samples.key) {}
        let waited = clock.date.timeIntervalSince(start)
        #expect(waited >= 20 && waited < 21)
        try expectEmptyFiles()
      }
    }
  }

  @Test("A directory that was removed meanwhile is made again")
  func removedDirectory() async throws {
    try await app.store(Samples.record(), for: Samples.key)
    try FileManager.default.removeItem(at: locks)
    try await app.update(Samples.key) { _ in Samples.record("two") }
    #expect(try await widget.record(for: Samples.key) == Samples.record("two"))
    try expectEmptyFiles()
  }

  enum Refusal: String, CaseIterable {
    case networkVolume = "network volume"
    case iCloudDrive = "Mobile Documents/group/locks"
    case otherCloud = "CloudStorage/Drive"
    case missing = "no directory"
    case noFile = "file URL"
    case openToOthers = "mode 777"
  }

  @Test(
    "A directory where a lock would not hold is refused by every call, with what to do", arguments: Refusal.allCases)
  func refusal(_ refusal: Refusal) async throws {
    var container = temporary.url
    switch refusal {
    case .networkVolume: break
    case .iCloudDrive, .otherCloud:
      container = temporary.url.appendingPathComponent("Library/" + refusal.rawValue, isDirectory: true)
      try FileManager.default.createDirectory(at: container, withIntermediateDirectories: true)
    case .missing: container = temporary.store
    case .noFile: container = try #require(URL(string: "https://example.com/container"))
    case .openToOthers:
      try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: temporary.url.path)
    }
    let files = WatchedFileSystem(isLocal: refusal != .networkVolume)
    let cache = SharedKeychain(keychain, lockedIn: container, files: files)
    let calls: [@Sendable () async throws -> Void] = [
      { _ = try await cache.record(for: Samples.key) }, { _ = try await cache.keys() },
      { try await cache.store(Samples.record(), for: Samples.key) },
      { try await cache.update(Samples.key) { _ in Samples.record() } },
      { try await cache.removeRecord(for: Samples.key) }, { try await cache.withRefreshLock(for: Samples.key) {} },
      { _ = try await cache.inspect() }, { try await cache.proveWritable() },
    ]
    for call in calls {
      let error = await failure(call)
      #expect(error?.code == (refusal == .openToOthers ? .insecurePermissions : .unwritable))
      #expect(error?.recoverySuggestion != nil)
      let words = [.iCloudDrive, .otherCloud].contains(refusal) ? "cloud volume" : refusal.rawValue
      #expect(error?.message.contains(words) == true, "\(error?.message ?? "")")
    }
    #expect(keychain.contents.isEmpty)
    #expect(!FileManager.default.fileExists(atPath: container.appendingPathComponent("B2CConnector.locks").path))
  }

  @Test("What kept the directory from being used counts no longer once it has gone")
  func refusalEnds() async throws {
    let cache = SharedKeychain(keychain, lockedIn: temporary.store)
    #expect(await failure { _ = try await cache.keys() }?.code == .unwritable)
    try FileManager.default.createDirectory(
      at: temporary.store, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    try await cache.store(Samples.record(), for: Samples.key)
    #expect(try await cache.record(for: Samples.key) == Samples.record())
  }

  private var locks: URL { temporary.url.appendingPathComponent("B2CConnector.locks", isDirectory: true) }

  private func lockFiles() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: locks.path).sorted()
  }

  private func expectEmptyFiles() throws {
    #expect(try temporary.mode(locks.path) == 0o700)
    let names = try lockFiles()
    #expect(!names.isEmpty)
    for name in names {
      let path = locks.appendingPathComponent(name).path
      #expect(name.hasSuffix(".lock") || name.hasSuffix(".refresh"))
      #expect(FileManager.default.contents(atPath: path) == Data())
      #expect(try temporary.mode(path) == 0o600)
    }
  }
}
