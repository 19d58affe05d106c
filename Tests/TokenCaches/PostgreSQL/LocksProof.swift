import B2CConnector
import B2CTestKit
import Foundation
import TestSupport

/// Holds as many refresh locks as the cache has connections, and has another process hold one and hang.
struct LocksProof: ProofCommand {
  static let name = "locks"
  static let summary = "eight refresh locks at once, a ninth, and a process that holds one and hangs"

  /// After this time a waiter is cancelled.
  private static let patience = Duration.seconds(2)
  /// The time by which a waiter may end later on a busy machine.
  private static let grace = Duration.seconds(8)

  static func run(_ options: ProofOptions) async throws -> Bool {
    let folder = try TemporaryDirectory("locks")
    defer { folder.remove() }
    var table = Table("promise", "")
    var broken: [String] = []
    for (promise, check) in [
      ("the ninth lock waits until its task is cancelled, and is taken when one of eight is free", ninth),
      ("records are read and written while eight locks are held", useBeside),
      ("waiters for a process that hangs end when they are cancelled, other users do not wait", hanging),
      ("a connector's error is timedOut, and retryable", connectorError),
    ] as [(String, @Sendable (URL) async throws -> Bool)] {
      let isKept = await Watchdog.run(.seconds(90)) { (try? await check(folder.url)) ?? false } ?? false
      table.add(promise, verdict(isKept ? [] : [promise]))
      if !isKept { broken.append(promise) }
    }
    return report(table, broken)
  }

  @Sendable private static func ninth(_ folder: URL) async throws -> Bool {
    let cache = try ProofCache.open(folder)
    let hasWaited = try await holdingEight(cache) { try await waitsUntilCancelled(cache, ProofRecord.key("ninth")) }
    let comesThrough = try await cache.underRefreshLock(of: ProofRecord.key("ninth")) { true }
    return hasWaited && comesThrough
  }

  @Sendable private static func useBeside(_ folder: URL) async throws -> Bool {
    let cache = try ProofCache.open(folder)
    return try await holdingEight(cache) {
      for number in 1...50 {
        let key = ProofRecord.key("held-\(number % 8)")
        try await cache.store(ProofRecord.record(number), for: key)
        guard try await cache.number(for: key) == number else { return false }
      }
      return true
    }
  }

  @Sendable private static func hanging(_ folder: URL) async throws -> Bool {
    let holder = try Worker.ready(LockHolder.self, [folder.path])
    defer { _ = holder.killAndRead() }
    let caches = try (0..<2).map { _ in try ProofCache.open(folder) }
    let areKept = try await simultaneously(40) { number in
      number < 20
        ? try await waitsUntilCancelled(caches[number % 2], LockHolder.key)
        : try await caches[number % 2].underRefreshLock(of: ProofRecord.key("other-\(number)")) { true }
    }
    return areKept.allSatisfy(\.self)
  }

  @Sendable private static func connectorError(_ folder: URL) async throws -> Bool {
    let folder = folder.appendingPathComponent("connector")
    let provider = try await ProofTenant()
    let other = try ProofCache.open(folder)
    try await provider.signIn(other)
    guard let key = try await other.keys().first else { return false }
    let connector = try ProofTenant.connector(provider.authority, ProofCache.open(folder), deadline: patience)
    let error = try await other.underRefreshLock(of: key) { () -> ConnectorError? in
      do {
        _ = try await connector.accessToken()
        return nil
      } catch let error as ConnectorError {
        return error
      }
    }
    await provider.tenant.stop()
    return error?.code == .timedOut && error?.isRetryable == true
  }

  private static func holdingEight(
    _ cache: any SharedTokenCache, _ body: @Sendable () async throws -> Bool
  ) async throws -> Bool {
    let gate = TestGate()
    return try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<8 {
        group.addTask {
          try await cache.underRefreshLock(of: ProofRecord.key("held-\(number)")) { try await gate.wait() }
        }
      }
      await gate.waitForArrivals(8)
      let isTrue = try await body()
      gate.open()
      try await group.waitForAll()
      return isTrue
    }
  }

  /// Whether a lock that is not free is waited for until the task is cancelled.
  private static func waitsUntilCancelled(_ cache: any SharedTokenCache, _ key: TokenCacheKey) async throws -> Bool {
    let start = ContinuousClock.now
    let waiter = Task { try await cache.underRefreshLock(of: key) {} }
    let limit = Task {
      try await Task.sleep(for: patience)
      waiter.cancel()
    }
    defer { limit.cancel() }
    do {
      try await waiter.value
      return false
    } catch is CancellationError {
      return (patience..<patience + grace).contains(start.duration(to: .now))
    }
  }
}

/// The process that takes a refresh lock and never comes back.
struct LockHolder: ProofCommand {
  static let name = "lock-holder"

  static let key = ProofRecord.key("hanging")

  static func run(_ options: ProofOptions) async throws -> Bool {
    try await ProofCache.open(options.folder).underRefreshLock(of: key) {
      Worker.waitForSignal()
      return true
    }
  }
}
