import B2CAuthority
import B2CConnector
import B2CCore
import B2CHTTP
import B2COAuth
import B2CTestKit
import B2CTokenCache
import Foundation
import TestSupport

/// A tenant, a network and a client for one test; nothing is shared between tests.
struct Fixture: Sendable {
  let clock: TestClock
  let tenant: LocalTenant
  let network: LocalNetwork
  let transport: GatedTransport
  let cache: any TokenCache
  let events = Recorder<Connector.Event>()
  /// How many seconds the device's clock was set back.
  let setBack = Locked<TimeInterval>(0)

  static let signIn = "B2C_1_SignIn"
  static let redirect = LocalTenant.standardRedirectURI

  /// Makes a fixture; with `holdsTime` its clock stands still until the test moves it, as one that waits for sleepers needs.
  init(
    shape: LocalTenant.Shape = .b2c, cache: any TokenCache = .memory(),
    redirectURIs: [String] = [LocalTenant.standardRedirectURI], lifetime: Duration = .seconds(3600),
    tenantID: String = "22222222-2222-4222-8222-222222222222", clientID: String = LocalTenant.standardClientID,
    policies: [LocalPolicy] = LocalPolicy.standard, holdsTime: Bool = false,
    behavior: (inout LocalTenant.Behavior) -> Void = { _ in }
  ) {
    var changed = LocalTenant.Behavior()
    behavior(&changed)
    let clock = TestClock(advancesItself: !holdsTime)
    self.clock = clock
    tenant = LocalTenant(
      shape: shape, tenantID: tenantID, policies: policies, clientID: clientID, redirectURIs: redirectURIs,
      accessTokenLifetime: lifetime,
      behavior: changed, now: { clock.date })
    network = LocalNetwork(tenant, clock: clock)
    transport = GatedTransport(network)
    self.cache = cache
  }

  /// A client of the tenant; each has an engine of its own over the fixture's cache.
  func client(
    presenter: (any SignInPresenter)? = nil, policy: String? = Fixture.signIn, scopes: [String]? = nil,
    cache: (any TokenCache)? = nil, clientID: String? = nil, configure: (inout OAuthConfiguration) -> Void = { _ in }
  ) throws -> OAuthClient {
    let isB2C = tenant.shape == .b2c
    var configuration = OAuthConfiguration(
      authority: try Authority(tenant.authority(), kind: kind), clientID: clientID ?? tenant.clientID,
      redirectURI: try require(URL(string: Fixture.redirect)), scopes: scopes ?? tenant.apiScopes)
    // A test holds answers back for as long as it likes.
    configuration.limits = .patient
    configuration.defaultPolicy = isB2C ? try policy.map { try Policy($0) } : nil
    configure(&configuration)
    let events = events
    let clock = clock
    return try OAuthClient(
      configuration: configuration,
      environment: Connector.Environment(
        presenter: presenter ?? script(.signIn(.alice)), cache: cache ?? self.cache, transport: transport,
        clock: clock, now: { [setBack] in clock.date.addingTimeInterval(-setBack.withLock { $0 }) },
        onEvent: { events.record($0) }))
  }

  /// The fixture with a client at which Alice has signed in, so many seconds ago.
  func signedIn(after seconds: Int = 0) async throws -> (Fixture, OAuthClient) {
    let client = try client()
    try await client.signIn()
    if seconds > 0 { await clock.advance(by: .seconds(seconds)) }
    return (self, client)
  }

  /// The fixture with a client whose user's actions the test can change; it begins as Alice.
  func scripted() throws -> (Fixture, ScriptedPresenter, OAuthClient) {
    let presenter = script(.signIn(.alice))
    return (self, presenter, try client(presenter: presenter))
  }

  /// The one record that is stored.
  func record() async throws -> TokenRecord {
    let key = try require(try await cache.keys().first)
    return try require(try await cache.record(for: key))
  }

  /// A presenter that fills in the tenant's pages: one action for every page it meets.
  func script(_ action: ScriptedPresenter.Action) -> ScriptedPresenter {
    ScriptedPresenter(transport: network, action)
  }

  /// Runs something while the clock moves on for the sleepers.
  func passingTime<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) async throws -> Value {
    let clock = clock
    let passing = Task {
      while !Task.isCancelled {
        await clock.waitForSleepers()
        await clock.advance(by: .seconds(1))
      }
    }
    defer { passing.cancel() }
    return try await body()
  }

  private var kind: Authority.Kind? {
    switch tenant.shape {
    case .b2c: nil
    case .entra: .entra
    case .ciam: .ciam
    case .openIDConnect: .openIDConnect
    }
  }
}

/// Gives a value that a test cannot go on without.
func require<Value>(_ value: Value?) throws -> Value {
  guard let value else { throw MissingValue() }
  return value
}

struct MissingValue: Error {}
