import B2CConnector
import B2CLoopback
import B2CTestKit
import Foundation
import TestSupport

/// Users of one tenant in a cache, with records as large as a real tenant makes them.
enum Scene {
  static let scopes = ["https://contoso.onmicrosoft.com/tasks/read"]
  static let policyID = "B2C_1_SignIn"
  /// A presenter that is never asked.
  static let noPage = CannedPresenter { _ in throw Failure("no page is expected here") }

  static func settings(authority: Authority? = nil) throws -> ConnectorSettings {
    ConnectorSettings(
      authority: try authority ?? Authority("https://contoso.b2clogin.com/contoso.onmicrosoft.com/"),
      clientID: LocalTenant.standardClientID, scopes: scopes, redirectURI: try url(LocalTenant.standardRedirectURI),
      taskWebAPI: try url("https://tasks.example/tasks"), policies: .init(emailSignIn: try Policy(policyID)))
  }

  static func url(_ text: String) throws -> URL { try require(URL(string: text), "a URL") }

  static func userID(_ number: Int) -> String {
    let digits = String(number, radix: 16)
    return String(repeating: "0", count: 8 - digits.count) + digits
      + "-0000-4000-8000-000000000000.22222222-2222-4222-8222-222222222222"
  }

  static func user(_ number: Int) -> UserInfo { UserInfo(id: userID(number)) }

  static func key(_ number: Int) throws -> TokenCacheKey {
    let settings = try settings()
    return TokenCacheKey(authority: settings.authority.cacheID, clientID: settings.clientID, userID: userID(number))
  }

  /// A record of about 4 KB; `change` makes its tokens other ones of the same size.
  static func record(_ number: Int, change: Int = 0) -> TokenRecord {
    let now = Date()
    var token = CachedAccessToken(
      token: Secret(text(1_200, number, change)), scopes: Set(scopes), receivedAt: now.addingTimeInterval(-60),
      expiresAt: now.addingTimeInterval(3_600))
    token.requestedScopes = Set(scopes)
    return TokenRecord(
      signedInAt: now.addingTimeInterval(-Double(number) - 3_600), policyID: policyID,
      claims: [
        "sub": .string(userID(number)), "name": .string("Alice Example"), "tfp": .string(policyID),
        "emails": .array([.string("alice\(number)@example.com")]), "iss": .string("https://contoso.b2clogin.com/"),
        "aud": .string(LocalTenant.standardClientID), "ver": .string("1.0"), "exp": .integer(4_000_000_000),
      ], idToken: Secret(text(1_100, number, change)), refreshToken: Secret(text(900, number, change)),
      refreshTokenExpiresAt: now.addingTimeInterval(86_400), accessTokens: [token])
  }

  private static func text(_ length: Int, _ number: Int, _ change: Int) -> String {
    let head = "eyJ\(number)x\(change)x"
    return head + String(repeating: "Q", count: length - head.utf8.count)
  }

  static func fill(_ cache: any TokenCache, users: Int) async throws {
    for number in 0..<users { try await cache.store(record(number), for: try key(number)) }
  }

  static func memoryCache(users: Int) async throws -> InMemoryTokenCache {
    let cache = InMemoryTokenCache()
    try await fill(cache, users: users)
    return cache
  }

  /// A cache of a process of its own.
  static func fileCache(_ directory: URL) throws -> StoredTokenCache { try .process(at: directory) }

  static func connector(
    _ cache: any TokenCache, transport: any HTTPTransport = CannedTransport([]),
    presenter: any SignInPresenter = noPage,
    settings: ConnectorSettings? = nil
  ) throws -> Connector {
    try Connector(
      settings: settings ?? Scene.settings(),
      environment: Connector.Environment(presenter: presenter, cache: cache, transport: transport))
  }
}

/// A local tenant on loopback HTTP that takes its time for every answer.
final class SlowTenant: Sendable {
  let tenant: LocalTenant
  let url: URL
  private let listener: LoopbackListener
  private let delay: Locked<Duration>

  init(shape: LocalTenant.Shape = .b2c) async throws {
    let tenant = LocalTenant(shape: shape)
    // The same refresh token is used in every repetition.
    tenant.behavior.refreshTokenReuse = .allowed
    let delay = Locked(Duration.zero)
    listener = try await LoopbackListener { exchange in
      try? await Task.sleep(for: delay.withLock { $0 })
      if exchange.request.path == "/ping" { return _ = await exchange.respond(.text("pong")) }
      guard let message = exchange.message, let response = try? await tenant.answer(message) else {
        return exchange.close()
      }
      await exchange.respond(LoopbackResponse(response))
    }
    self.tenant = tenant
    self.delay = delay
    url = try Scene.url("http://127.0.0.1:\(listener.port)")
  }

  func setDelay(_ duration: Duration) { delay.withLock { $0 = duration } }

  func stop() async { await listener.close() }

  /// The authority, at this front.
  var authority: String {
    tenant.authority().replacingOccurrences(of: tenant.inMemoryOrigin.absoluteString, with: url.absoluteString)
  }

  var settings: ConnectorSettings {
    get throws { try Self.settings(authority: authority, scopes: tenant.apiScopes, isGeneric: tenant.shape != .b2c) }
  }

  static func settings(authority: String, scopes: [String], isGeneric: Bool = false) throws -> ConnectorSettings {
    var settings = try Scene.settings(authority: Authority(authority, kind: isGeneric ? .openIDConnect : nil))
    settings.scopes = scopes
    if isGeneric { settings.policies = ConnectorSettings.Policies() }
    return settings
  }

  func connector(
    _ cache: any TokenCache, transport: any HTTPTransport = URLSessionTransport(),
    presenter: any SignInPresenter = Scene.noPage
  ) throws -> Connector {
    try Scene.connector(cache, transport: transport, presenter: presenter, settings: settings)
  }

  /// Signs in, and returns the record with its access token expired.
  func expiredRecord() async throws -> (key: TokenCacheKey, record: TokenRecord) {
    setDelay(.zero)
    let cache = InMemoryTokenCache()
    let presenter = ScriptedPresenter(transport: URLSessionTransport(), .signIn(.alice))
    try await connector(cache, presenter: presenter).signIn()
    let key = try require(await cache.keys().first, "the record of the sign-in")
    var record = try require(await cache.record(for: key), "the record of the sign-in")
    for index in record.accessTokens.indices { record.accessTokens[index].expiresAt = Date().addingTimeInterval(-10) }
    tenant.clearRequests()
    return (key, record)
  }

  /// Seconds that one bare request takes, on a new session.
  func bareRequest() async throws -> Double {
    let transport = URLSessionTransport()
    let request = URLRequest(url: url.appendingPathComponent("ping"))
    return try await Pairs.seconds { _ = try await transport.send(request, limits: .standard) }
  }
}
