import B2CConnector
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

/// A transport that has the same answer for everything.
struct SameAnswer: HTTPTransport {
  let response: LocalResponse

  func send(_ request: URLRequest, limits: TransportLimits) async throws -> (Data, HTTPURLResponse) {
    try response.answer(to: request.url)
  }
}
