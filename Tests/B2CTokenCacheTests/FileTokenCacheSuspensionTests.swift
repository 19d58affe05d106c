import B2CCore
import B2CTestKit
import B2CTokenCache
import Foundation
import Testing

/// The refresh lock of a process that is about to be suspended, and the note that it leaves.
@Suite(.timeLimit(.minutes(10))) struct FileTokenCacheSuspensionTests {
  private let temporary: TemporaryDirectory
  private let clock = TestClock()
  private let holder: FileTokenCache
  private let other: FileTokenCache

  init() throws {
    temporary = try TemporaryDirectory()
    holder = try FileTokenCache(directory: temporary.store)
    let clock = clock
    // Another instance over the directory is kept out by the files alone, as another process is.
    other = try FileTokenCache(
      directory: temporary.store, lockTimeout: .seconds(60), clock: clock, now: { clock.date })
  }

  private func lockFile() throws -> URL {
    let name = try #require(try temporary.paths().first { $0.hasSuffix(".refresh") })
    return temporary.store.appendingPathComponent(name)
  }

  /// What is in the file of the refresh lock.
  private func content() throws -> String { try String(contentsOf: try lockFile(), encoding: .utf8) }

  /// The seconds that the other instance waits for the refresh lock.
  private func wait() async throws -> TimeInterval {
    let start = clock.date
    try await other.withRefreshLock(for: Samples.key) {}
    return clock.date.timeIntervalSince(start)
  }

  @Test("A lock whose process has no time left is free at once where no request has started")
  func withoutRequest() async throws {
    let time = RefreshTime()
    try await RefreshTime.$current.withValue(time) {
      try await holder.withRefreshLock(for: Samples.key) {
        time.end()
        #expect(!time.startRequest(at: clock.date, limit: 20))
        let waited = try await wait()
        #expect(waited == 0)
        #expect(try content() == "")
      }
    }
  }

  @Test("When the time is over after the answer was stored, no note keeps others waiting")
  func overAfterRequest() async throws {
    let time = RefreshTime()
    try await RefreshTime.$current.withValue(time) {
      try await holder.withRefreshLock(for: Samples.key) {
        #expect(time.startRequest(at: clock.date, limit: 20))
        time.endRequest()
        time.end()
        let waited = try await wait()
        #expect(waited == 0)
        #expect(try content() == "")
      }
    }
  }

  @Test("A lock that is taken when the time is over is not kept")
  func overBefore() async throws {
    let time = RefreshTime()
    time.end()
    try await RefreshTime.$current.withValue(time) {
      try await holder.withRefreshLock(for: Samples.key) {
        let waited = try await wait()
        #expect(waited == 0)
      }
    }
  }

  @Test("A lock that is given back during a request keeps others waiting until the request's limit has passed")
  func duringRequest() async throws {
    let time = RefreshTime()
    try await RefreshTime.$current.withValue(time) {
      try await holder.withRefreshLock(for: Samples.key) {
        #expect(time.startRequest(at: clock.date, limit: 20))
        time.end()
        let waited = try await wait()
        #expect(waited >= 20 && waited < 21)
        // The next holder has removed the note: the one after it does not wait.
        #expect(try content() == "")
        #expect(try await wait() == 0)
      }
    }
  }

  @Test("The note goes with the request, unless it is another one's by then")
  func noteGoes() async throws {
    for note in [nil, "\(clock.date.timeIntervalSince1970 + 5) 20.0"] {
      let time = RefreshTime()
      try await RefreshTime.$current.withValue(time) {
        try await holder.withRefreshLock(for: Samples.key) {
          #expect(time.startRequest(at: clock.date, limit: 20))
          time.end()
          #expect(try content().hasSuffix(" 20.0"))
          if let note { try Data(note.utf8).write(to: lockFile()) }
        }
      }
      #expect(try content() == note ?? "")
    }
  }

  @Test("A wait for a request that may still be answered ends with the lock's own time limit")
  func timeout() async throws {
    let clock = clock
    let impatient = try FileTokenCache(
      directory: temporary.store, lockTimeout: .seconds(5), clock: clock, now: { clock.date })
    try await holder.withRefreshLock(for: Samples.key) {}
    try Data("\(clock.date.timeIntervalSince1970) 20.0".utf8).write(to: lockFile())
    let start = clock.date
    #expect(await failure { try await impatient.withRefreshLock(for: Samples.key) {} }?.code == .lockTimedOut)
    #expect(clock.date.timeIntervalSince(start) >= 5)
  }

  private static let notes: [(String, TimeInterval)] = [
    ("-19.5 20", 0.5), ("-20 20", 0), ("-1000 20", 0), ("5 20", 25), ("21 20", 0), ("-1 nan", 0), ("-1 inf", 0),
    ("-1 -20", 0), ("-1", 0), ("x 20", 0), ("-1 1e30", 0), ("-1e30 3600", 0),
    ("-1 20 3", 0), ("", 0), (String(repeating: "9", count: 400), 0),
  ]

  @Test("A note counts by its distance to now, and one that cannot be read counts nothing", arguments: notes)
  func noteContents(_ note: String, _ expected: TimeInterval) async throws {
    try await holder.withRefreshLock(for: Samples.key) {}
    let now = clock.date.timeIntervalSince1970
    var words = note.split(separator: " ").map(String.init)
    if let first = words.first, let offset = Double(first), offset < 1e9 { words[0] = "\(now + offset)" }
    try Data(words.joined(separator: " ").utf8).write(to: lockFile())
    let waited = try await wait()
    #expect(waited >= expected && waited < expected + 0.5, "\(waited)")
    #expect(try content() == "")
  }
}
