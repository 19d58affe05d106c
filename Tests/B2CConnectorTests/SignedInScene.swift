import B2CConnector
import B2CTestKit
import Foundation
import TestSupport
import Testing

/// Alice, signed in at a connector of a scene, and the page on which she or another user signs in next.
struct SignedInScene: Sendable {
  /// The scopes of another API than the settings', which is the app itself.
  static let otherScopes = [LocalTenant.standardClientID]
  static let claims = #"{"access_token":{"nbf":{"essential":true,"value":"1767225600"}}}"#

  let scene: Scene
  let presenter: ScriptedPresenter
  let connector: Connector
  let alice: SignInResult
  /// Holds the response to the refresh of ``heldRefresh(_:)`` back.
  let gate = TestGate()

  /// Signs Alice in; by default her access token has expired afterwards.
  init(
    _ scene: Scene = Scene(), after seconds: Int = 4_000, waitingOn waits: (any Clock<Duration>)? = nil,
    configure: (inout Connector.Options) -> Void = { _ in }
  ) async throws {
    self.scene = scene
    presenter = scene.script(.signIn(.alice))
    connector = try scene.connector(presenter: presenter, waitingOn: waits, configure: configure)
    alice = try await connector.signIn()
    if seconds > 0 { await scene.clock.advance(by: .seconds(seconds)) }
  }

  /// Makes another connector over the same cache, as another process or in this one.
  func other(isElsewhere: Bool = true, userID: String? = nil) throws -> Connector {
    try scene.connector(
      scene.settings { $0.userID = userID }, presenter: presenter,
      cache: isElsewhere ? ForwardingCache(scene.cache) : scene.cache)
  }

  @discardableResult
  func signIn(_ user: LocalUser = .alice, at other: Connector? = nil) async throws -> SignInResult {
    presenter.clearCookies()
    presenter.follow(.signIn(user))
    return try await (other ?? connector).signIn()
  }

  /// Starts a call whose refresh the tenant has done; its response arrives when the gate opens.
  func heldRefresh(
    _ call: @escaping @Sendable (Connector) async throws -> AccessToken = { try await $0.accessToken() }
  ) async -> Task<AccessToken, any Error> {
    scene.tenant.faults = [LocalFault(on: .tokenRefresh, times: 1, .holdAnswer(gate))]
    let running = Task { [connector] in try await call(connector) }
    await gate.waitForArrivals(1)
    return running
  }
}

extension Scene {
  /// Lets every access token expire.
  func expire() async { await clock.advance(by: .seconds(4_000)) }

  /// How often a step was reported.
  func count(_ step: Connector.Event.Step) -> Int { events.values.count { $0.step == step } }

  /// Answers all refreshes, or so many of them, with a status and the seconds to wait.
  func refuseRefreshes(_ status: Int, times: Int? = nil, retryAfter: Int? = nil) {
    let headers = retryAfter.map { ["Retry-After": "\($0)"] } ?? [:]
    let answer = LocalResponse(status: status, headers: headers)
    tenant.faults = [LocalFault(on: .tokenRefresh, times: times, .respond(answer))]
  }

  /// Expects so many refreshes, of which none has used a refresh token a second time.
  func expectRefreshes(_ count: Int, sourceLocation: SourceLocation = #_sourceLocation) {
    #expect(tenant.counters.refreshes == count, sourceLocation: sourceLocation)
    #expect(tenant.counters.reusedRefreshTokens == 0, sourceLocation: sourceLocation)
  }
}

extension ScriptedPresenter {
  /// Goes through the pages that begin at a URL, and returns the redirect to the app.
  func redirect(from page: URL) async throws -> URL {
    let query = query(of: page)
    let redirectURI = try url(query["post_logout_redirect_uri"] ?? query["redirect_uri"] ?? "")
    let state = Secret(query["state"] ?? "")
    return try await present(PresentationRequest(url: page, redirectURI: redirectURI, state: state))
  }
}

extension UserInfo {
  /// The same user after the session has expired.
  var expired: UserInfo { UserInfo(id: id, claims: claims, policyID: policyID) }
}

/// Lets other tasks go on for a while, before a test looks that nothing has happened.
func yieldOften() async { for _ in 0..<200 { await Task.yield() } }

/// A cache whose changes and lists begin with a hook, which is told the name of the method.
final class HookedCache: WrappingCache {
  let inner: any TokenCache = FourMethodCache()
  private let hook: @Sendable (_ call: String) async throws -> Void

  init(_ hook: @escaping @Sendable (_ call: String) async throws -> Void) { self.hook = hook }

  func before(_ call: CacheCall, _ key: TokenCacheKey?) async throws {
    if call != .record { try await hook(call.rawValue) }
  }
}

/// The claims of the id_tokens of a sign-in and of the refresh after it; `nil` removes a claim.
struct RefreshRow: Sendable, CustomTestStringConvertible {
  typealias Claims = [String: JSONValue?]

  let testDescription: String
  let shape: LocalTenant.Shape
  let signIn: Claims
  /// Changes the claims of the refresh, which is done at the given second.
  let refresh: @Sendable (inout [String: JSONValue], Int64) -> Void

  init(
    _ name: String, at shape: LocalTenant.Shape = .b2c, after signIn: Claims = [:], _ refresh: Claims = [:],
    by change: @escaping @Sendable (Int64) -> Claims = { _ in [:] }
  ) {
    (testDescription, self.shape, self.signIn) = ("\(shape): \(name)", shape, signIn)
    self.refresh = { $0.set(refresh.merging(change($1)) { $1 }) }
  }
}

extension [String: JSONValue] {
  mutating func set(_ claims: RefreshRow.Claims) { for (name, value) in claims { self[name] = value } }
}

extension SignedInScene {
  /// Signs Alice in with these claims; her tokens have not expired.
  init(_ shape: LocalTenant.Shape, claims: RefreshRow.Claims = [:]) async throws {
    try await self.init(Scene(shape: shape) { $0.changeIDTokenClaims = { $0.set(claims) } }, after: 0)
  }

  /// Refreshes with an id_token that names the user `Renamed`, unless the change says otherwise.
  func refresh(
    after seconds: Int = 4_000, _ change: @escaping @Sendable (inout [String: JSONValue], Int64) -> Void
  ) async throws {
    await scene.clock.advance(by: .seconds(seconds))
    let now = Int64(scene.clock.date.timeIntervalSince1970)
    scene.tenant.behavior.changeIDTokenClaims = {
      $0["name"] = "Renamed"
      change(&$0, now)
    }
    _ = try await connector.accessToken(user: alice.user)
  }

  func refresh(_ claims: RefreshRow.Claims = [:]) async throws { try await refresh { new, _ in new.set(claims) } }

  /// The user as stored.
  var stored: UserInfo {
    get async throws { try require(try await connector.user(id: alice.user.id)) }
  }
}
