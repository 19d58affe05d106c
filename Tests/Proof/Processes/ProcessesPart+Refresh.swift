import B2CConnector
import B2CTestKit
import Foundation
import TestSupport

extension ProcessesPart {
  /// Processes find one expired token in a shared cache: one refresh serves them all.
  static let refresh = ProcessesPart(name: "one expired token", unit: "refreshes") { options in
    let folder = try ProofFolder("refresh")
    defer { folder.remove() }
    let tenant = LocalTenant(redirectURIs: ["http://127.0.0.1/callback"])
    try await tenant.start()
    let authority = tenant.authority(form: .query)
    try await signIn(tenant, authority, folder.url)
    let children = try (0..<ProcessesProof.processes).map { _ in
      try ChildProcess(RefreshWorker.self, [folder.url.path, authority])
    }
    for child in children where child.readLine() != "ready" { throw ProofError("a worker did not start") }
    let start = ContinuousClock.now
    for child in children { child.signal() }
    var outcome = Outcome(expected: 1, found: 0, seconds: 0)
    var tokens = Set<String>()
    for (number, child) in children.enumerated() {
      tokens.insert(child.readToEnd())
      if child.ending != 0 { outcome.notes.append("process \(number) ended with \(child.ending)") }
    }
    outcome.seconds = start.duration(to: .now) / .seconds(1)
    if tokens.count != 1 { outcome.notes.append("the processes got \(tokens.count) different tokens") }
    let counters = tenant.counters
    outcome.found = counters.refreshRequests
    if counters.reusedRefreshTokens > 0 { outcome.notes.append("a refresh token was spent twice") }
    await tenant.stop()
    return outcome
  }

  /// Leaves a token in the cache that has ended already; later ones last an hour.
  private static func signIn(_ tenant: LocalTenant, _ authority: String, _ folder: URL) async throws {
    tenant.behavior.changeTokenAnswer = {
      $0["expires_in"] = .integer(0)
      $0["expires_on"] = nil
    }
    let connector = try Connector(
      settings: try RefreshWorker.settings(authority: authority),
      presenter: ScriptedPresenter(transport: URLSessionTransport(), .signIn(.alice)),
      cache: ProofCache.open(folder))
    try await connector.doPolicy(.signIn)
    tenant.behavior.changeTokenAnswer = nil
    tenant.clearRequests()
  }
}
