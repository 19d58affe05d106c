import B2CConnector
import B2CCore
import B2CHTTP
import B2CTestKit
import Foundation
import TestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("User info", .hangLimit)
struct UserInfoTests {
  @Test("The endpoint is asked with the user's token, and its answer is returned")
  func endpoint() async throws {
    let scene = Scene(shape: .openIDConnect) { $0.changeUserInfo = { $0["locale"] = "de" } }
    let connector = try scene.connector()
    let result = try await connector.signIn()
    let user = try await connector.fetchUserInfo()
    #expect(user.claims["locale"] == "de")
    #expect(user.subject == result.user.subject)
    let request = try #require(scene.transport.requests.last { $0.path.hasSuffix("/userinfo") })
    #expect(
      request.value(forHTTPHeaderField: "Authorization") == "Bearer \(try #require(result.accessToken).token.value)")
  }

  @Test("An answer about another user is refused (OpenID Connect Core 5.3.2)", arguments: ["sub", "case"])
  func anotherUser(_ how: String) async throws {
    let scene = Scene(shape: .openIDConnect) {
      $0.changeUserInfo = { $0["sub"] = how == "sub" ? "mallory" : .string(LocalUser.alice.id.uppercased()) }
    }
    let connector = try scene.connector()
    try await connector.signIn()
    await expectError(ConnectorError.self, .invalidResponse) { try await connector.fetchUserInfo() }
  }

  @Test(
    "A refusal of the endpoint names request, status and the wait it asks for",
    arguments: [
      (408, "", .timedOut), (429, "", ErrorCode.throttled), (503, "", .serviceUnavailable), (403, "", .server),
      (401, "", .unauthorized),
      (200, "not JSON", .invalidResponse), (200, #"{"name":"no sub"}"#, .invalidResponse),
    ])
  func refusal(_ status: Int, _ body: String, _ code: ErrorCode) async throws {
    let scene = Scene(shape: .openIDConnect)
    let connector = try await scene.signedIn()
    scene.transport.intercept { request in
      guard request.path.hasSuffix("/userinfo") else { return nil }
      return LocalResponse(status: status, headers: ["Retry-After": "7"], body: Data(body.utf8))
    }
    let error = try await #require(throws: ConnectorError.self) { try await connector.fetchUserInfo() }
    #expect(error.code == code)
    #expect(error.url?.hasSuffix("/userinfo") == true)
    if status != 200 { #expect(error.status == status && error.retryAfter == 7) }
    #expect(scene.transport.requests.count { $0.path.hasSuffix("/userinfo") } == (status == 401 ? 2 : 1))
    #expect(try await connector.session.user?.hasSession == true)
  }

  @Test(
    "What the endpoint says of the token is read as at any API (RFC 6750 section 3)",
    arguments: [
      (403, #"Bearer error="insufficient_scope", scope="profile""#, ErrorCode.insufficientScope, 1),
      (401, #"Bearer error="insufficient_scope", scope="profile""#, .insufficientScope, 1),
      (403, #"Bearer realm="x""#, .server, 1), (401, #"Bearer error="invalid_token""#, .unauthorized, 2),
      (401, #"Bearer error="insufficient_claims", claims="{\"id_token\":{\"acr\":null}}""#, .claimsRequired, 1),
    ])
  func challenge(_ status: Int, _ challenge: String, _ code: ErrorCode, _ requests: Int) async throws {
    let scene = Scene(shape: .openIDConnect)
    let connector = try await scene.signedIn(after: 120)
    scene.transport.intercept { request in
      guard request.path.hasSuffix("/userinfo") else { return nil }
      return LocalResponse(status: status, headers: ["WWW-Authenticate": challenge])
    }
    let error = try await #require(throws: ConnectorError.self) { try await connector.fetchUserInfo() }
    #expect(error.code == code && error.status == status && !error.isRetryable)
    #expect(error.url?.hasSuffix("/userinfo") == true)
    let sent = scene.transport.requests.filter { $0.url?.path.hasSuffix("/userinfo") == true }
    #expect(sent.count == requests)
    #expect(Set(sent.map { $0.value(forHTTPHeaderField: "Authorization") }).count == requests)
    if code == .insufficientScope { #expect(error.message.contains("profile")) }
    if code == .claimsRequired { #expect(error.claims == #"{"id_token":{"acr":null}}"#) }
  }

  @Test("A user's id is the object id, at a generic issuer the subject; a new user is told from the claims")
  func properties() async throws {
    let microsoft = Scene { $0.changeIDTokenClaims = { $0["newUser"] = "true" } }
    let user = try await microsoft.connector().signIn().user
    #expect(user.objectID == LocalUser.alice.id && user.isNewUser)
    let generic = Scene(shape: .openIDConnect) { $0.changeIDTokenClaims = { $0["newUser"] = false } }
    let other = try await generic.connector().signIn().user
    #expect(other.id.hasSuffix("#" + other.subject) && other.tenantID == nil && !other.isNewUser)
  }

  @Test(
    "Addresses are found as providers write them: the first form that has one",
    arguments: [
      (["emails": [], "email": "ada@example.com"], ["ada@example.com"]),
      (["emails": [""], "email": "ada@example.com"], ["ada@example.com"]),
      (["emails": "ada@example.com", "email": "other@example.com"], ["ada@example.com"]),
      (["emails": ["ada@example.com", "other@example.com"]], ["ada@example.com", "other@example.com"]),
      (["emails": 1, "email": ""], []),
    ] as [([String: JSONValue], [String])])
  func addresses(_ claims: [String: JSONValue], _ expected: [String]) {
    let user = UserInfo(id: "ada", claims: claims)
    #expect(user.emails == expected && user.username == expected.first)
  }

  @Test("A token that the endpoint refuses is replaced once")
  func refusedToken() async throws {
    let scene = Scene(shape: .openIDConnect)
    let connector = try scene.connector()
    let first = try #require(try await connector.signIn().accessToken).token.value
    await scene.clock.advance(by: .seconds(120))
    scene.transport.intercept { request in
      guard request.value(forHTTPHeaderField: "Authorization") == "Bearer \(first)" else { return nil }
      return LocalResponse(status: 401)
    }
    #expect(try await connector.fetchUserInfo().name == LocalUser.alice.displayName)
    #expect(scene.tenant.counters.refreshes == 1)
  }

  @Test("Without an endpoint, and at Microsoft's authorities, the verified claims are returned")
  func withoutEndpoint() async throws {
    let silent = Scene(shape: .openIDConnect) { $0.changeMetadata = { $0["userinfo_endpoint"] = nil } }
    for scene in [Scene(), Scene(shape: .entra), silent] {
      let connector = try scene.connector()
      let result = try await connector.signIn()
      #expect(try await connector.fetchUserInfo().claims == result.user.claims)
      #expect(!scene.transport.requests.contains { $0.path.hasSuffix("/userinfo") })
    }
    await expectError(ConnectorError.self, .interactionRequired) { try await Scene().connector().fetchUserInfo() }
  }

  @Test(
    "acr names a policy at Microsoft's authorities only",
    arguments: [(LocalTenant.Shape.b2c, "b2c_1_signin" as String?), (.openIDConnect, nil)])
  func policyID(_ shape: LocalTenant.Shape, _ expected: String?) async throws {
    let acr = shape == .b2c ? "b2c_1_signin" : "urn:mace:incommon:iap:silver"
    let scene = Scene(shape: shape) {
      $0.changeIDTokenClaims = {
        $0["tfp"] = nil
        $0["acr"] = .string(acr)
      }
    }
    #expect(try await scene.connector().signIn().user.policyID == expected)
  }

  @Test("The raw id_token is in the result, and is stored")
  func rawIDToken() async throws {
    let scene = Scene()
    let result = try await scene.connector().signIn()
    let token = try #require(result.idToken)
    #expect(token.value.split(separator: ".").count == 3)
    #expect(try await scene.record().idToken == token)
  }
}

@Suite("Odd providers", .hangLimit)
struct OddProviderTests {
  @Test("A provider without offline_access signs in; naming it is its invalid_scope")
  func noOfflineAccess() async throws {
    let scene = Scene(shape: .openIDConnect) { $0.offersOfflineAccess = false }
    try await scene.connector().signIn()
    let error = try await #require(throws: ConnectorError.self) {
      try await scene.connector(scene.settings { $0.scopes = ["openid", "offline_access"] }).signIn()
    }
    #expect(error.oauthError == "invalid_scope")
  }

  @Test("An answer without scope has the scopes that were sent")
  func missingScope() async throws {
    let scene = Scene(shape: .openIDConnect) { $0.changeTokenAnswer = { $0["scope"] = nil } }
    let result = try await scene.connector().signIn()
    #expect(result.accessToken?.scopes.isSuperset(of: scene.tenant.apiScopes) == true)
  }
}
