import B2CConnector
import B2CCore
import B2CTestKit
import Foundation
import TestSupport

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The servers of a soak run: a tenant with short tokens and a task server, behind fronts that misbehave now and then.
final class SoakWorld: Sendable {
  /// A fault that was set for a while, and how many requests it happened to.
  struct Window: Sendable {
    let fault: WireFault
    let operations: [FaultOperation]
    let start: Double
    var end: Double
    var hits: Int
  }

  /// A token, and whether a fault happened to the answer that brought it.
  private struct Issue {
    let time: Double
    let isFaulty: Bool
  }

  /// A token that was issued sooner after the user's last one than expiry explains.
  struct EarlyToken: Sendable {
    let time: Double
    /// When the user's last token was issued.
    let previous: Double
    let previousWasDamaged: Bool
    let isOfSignIn: Bool
  }

  @TaskLocal private static var isSignIn = false

  private struct State {
    /// Each user's last token.
    var issued: [String: Issue] = [:]
    var early: [EarlyToken] = []
    var windows: [Window] = []
    var rollOvers = 0
  }

  let tenant: LocalTenant
  private let tenantFront: FaultyFront
  private let taskFront: FaultyFront
  private let other: OtherOrigin
  private let state: Locked<State>

  init() async throws {
    let state = Locked(State())
    self.state = state
    let users = (0..<SoakPlan.users).map {
      LocalUser(
        id: SoakPlan.id($0), email: SoakPlan.email($0), password: SoakPlan.password($0), displayName: "User \($0)")
    }
    let tenant = LocalTenant(users: users, accessTokenLifetime: .seconds(SoakPlan.tokenLifetime))
    let issuer = tenant.issuer
    // As Azure AD B2C: after a lost answer the old refresh token works again.
    tenant.behavior.refreshTokenReuse = .allowed
    tenant.behavior.changeAccessTokenClaims = { claims in
      claims["iss"] = .string(issuer)
      // The API is no judge of two seconds on a busy machine; the client goes by `expires_in`.
      claims["exp"] = .integer(Int64(Date().timeIntervalSince1970) + 600)
      let user = claims["sub"]?.string ?? ""
      let now = Date().timeIntervalSince1970
      state.withLock { state in
        if let last = state.issued[user], now - last.time < SoakPlan.tokenLifetime / 2 - 0.1 {
          state.early.append(
            EarlyToken(
              time: now, previous: last.time, previousWasDamaged: last.isFaulty, isOfSignIn: Self.isSignIn))
        }
        state.issued[user] = Issue(time: now, isFaulty: FaultyFront.isFaulty)
      }
    }
    let server = LocalTaskServer(tenant: tenant, dialect: .rest)
    self.tenant = tenant
    tenantFront = try await FaultyFront { request in
      let isSignIn = request.httpBody.map {
        String(decoding: $0, as: UTF8.self).contains("grant_type=authorization_code")
      }
      return try await Self.$isSignIn.withValue(isSignIn ?? false) { try await tenant.answer(request) }
    }
    taskFront = try await FaultyFront { try await server.answer($0) }
    other = try await OtherOrigin()
  }

  var authority: String {
    tenant.authority(form: .query).replacingOccurrences(
      of: tenant.inMemoryOrigin.absoluteString, with: tenantFront.url.absoluteString)
  }
  var tasks: URL { taskFront.url.appendingPathComponent("tasks") }

  var windows: [Window] { state.withLock { $0.windows } }
  var earlyTokens: [EarlyToken] { state.withLock { $0.early } }
  var rollOvers: Int { state.withLock { $0.rollOvers } }
  /// Requests that redirects led elsewhere.
  var strayRequests: Int { other.requestCount }

  /// Forgets what was issued before the run.
  func begin() {
    tenant.clearRequests()
    state.withLock { $0.early = [] }
  }

  func stop() async {
    await tenantFront.close()
    await taskFront.close()
    await other.close()
  }

  /// Misbehaves in the first part of each round, and rolls keys over, until a time.
  func run(from start: Date, until end: Date) async throws {
    var random = SplitMix64(seed: 14)
    var lastRollOver = start
    while Date() < end {
      let now = Date()
      if now.timeIntervalSince(lastRollOver) > SoakPlan.round / 2 {
        lastRollOver = now
        try tenant.rotateKeys()
        state.withLock { $0.rollOvers += 1 }
      }
      let place = now.timeIntervalSince(start).truncatingRemainder(dividingBy: SoakPlan.round)
      if place < SoakPlan.faultyPart, end.timeIntervalSince(now) > SoakPlan.aftermath {
        try await misbehave(&random)
      } else {
        try? await Task.sleep(for: .seconds(1))
      }
    }
  }

  private static let faults = WireFault.all.filter {
    !$0.isLarge && !$0.mayEndTheProcess && !$0.isRefusal && !$0.endsSession
  }

  /// One fault, on one kind of request, for up to a second and a few requests.
  private func misbehave(_ random: inout SplitMix64) async throws {
    let fault = random.pick(Self.faults)
    let places: [(LocalFaultTarget, [FaultOperation], FaultyFront)] = [
      (.tokenRefresh, [.refresh], tenantFront), (.tokenRefresh, [.refresh], tenantFront),
      (.token, [.refresh, .code], tenantFront), (.metadata, [.metadata], tenantFront), (.keys, [.keys], tenantFront),
      (.method("GET"), [.list], taskFront), (.method("GET"), [.list], taskFront),
    ]
    let (target, operations, front) = random.pick(places)
    let start = Date().timeIntervalSince1970
    await front.arm(fault, on: target, times: 1 + random.below(6), other: other.url)
    try? await Task.sleep(for: .milliseconds(200 + random.below(800)))
    let hits = front.hits
    try await front.disarm()
    guard hits > 0 else { return }
    state.withLock {
      $0.windows.append(
        Window(
          fault: fault, operations: operations, start: start, end: Date().timeIntervalSince1970, hits: hits))
    }
  }
}
