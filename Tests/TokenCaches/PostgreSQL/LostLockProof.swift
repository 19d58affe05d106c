import B2CConnector
import B2CTestKit
import Foundation
import TestSupport

/// Ends the connection that holds a refresh lock while the token request is under way, so that another client takes the lock
/// and sends the same refresh token.
struct LostLockProof: ProofCommand {
  static let name = "lost-lock"
  static let summary = "a connection dies while it holds a refresh lock, and another client refreshes beside it"

  static func run(_ options: ProofOptions) async throws -> Bool {
    let rounds = options.isQuick ? 10 : 100
    var counts: [Bool: Int] = [:]
    var reuses = 0
    var notes: [String] = []
    for round in 0..<rounds {
      let firstIsFirst = round.isMultiple(of: 2)
      do {
        let hang = Failure("it hangs")
        let count = try await abandoning(after: .seconds(60), on: ContinuousClock(), throwing: hang) {
          try await reusesInRound(firstIsFirst)
        }
        counts[firstIsFirst, default: 0] += 1
        reuses = max(reuses, count)
        if count > 1 { notes.append("round \(round): a refresh token was used \(count) times more") }
      } catch {
        notes.append("round \(round): \(error)")
      }
    }
    var table = Table("after the connection died", "rounds")
    table.add("the first stores, the second's answer is dropped", "\(counts[true] ?? 0)")
    table.add("the second stores, the first's answer is dropped", "\(counts[false] ?? 0)")
    table.add("most reuses of a refresh token in a round (at most 1 is allowed)", "\(reuses)")
    return report(table, notes)
  }

  /// Runs a round, in which the answer of one client arrives and is stored before that of the other.
  private static func reusesInRound(_ firstIsFirst: Bool) async throws -> Int {
    let folder = try TemporaryDirectory("lost-lock")
    defer { folder.remove() }
    let provider = try await ProofTenant()
    let tenant = provider.tenant
    tenant.behavior.refreshTokenReuse = .allowed
    let cache = try ProofCache.open(folder.url)
    try await provider.signIn(cache)
    // Caches are known by identity, so two of them have no lock in common but the server's.
    let connectors = try (0..<2).map { _ in
      try ProofTenant.connector(provider.authority, ProofCache.open(folder.url))
    }
    let gates = [TestGate(), TestGate()]
    var tasks: [Task<AccessToken, any Error>] = []
    for (connector, gate) in zip(connectors, gates) {
      tenant.faults = [LocalFault(on: .tokenRefresh, times: 1, .wait(gate))]
      tasks.append(Task { try await connector.accessToken() })
      await gate.waitForArrivals(1)
      let ended = try ProofServer.endLockHolders()
      guard ended == 1 else { throw Failure("\(ended) connections held a lock") }
    }
    var values: [Secret] = []
    for number in firstIsFirst ? [0, 1] : [1, 0] {
      gates[number].open()
      values.append(try await tasks[number].value.token)
    }
    guard let key = try await cache.keys().first, let record = try await cache.record(for: key) else {
      throw Failure("the record is lost")
    }
    guard record.accessTokens.map(\.token) == [values[0]], values[1] == values[0] else {
      throw Failure("the later answer was not dropped")
    }
    let reuses = tenant.counters.reusedRefreshTokens
    guard tenant.counters.refreshRequests == 2 else { throw Failure("\(tenant.counters.refreshRequests) refreshes") }
    let next = try await connectors[firstIsFirst ? 1 : 0].accessToken(forceRefresh: true)
    guard next.token != values[0], tenant.counters.reusedRefreshTokens == reuses else {
      throw Failure("the stored refresh token is not the last one")
    }
    await tenant.stop()
    return reuses
  }
}
