import B2CCore
import B2CIDToken
import B2CTestKit
import Foundation
import TestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite(.hangLimit)
struct LocalTenantTokenTests {
  let clock = TestClock()
  let tenant: LocalTenant
  let visitor: TenantVisitor

  init() {
    let clock = clock
    tenant = LocalTenant(now: { clock.date })
    visitor = TenantVisitor(tenant)
  }

  private static let api = "https://contoso.onmicrosoft.com/tasks/read"

  @Test("The answer has the members of the service")
  func members() async throws {
    let answer = try await visitor.redeem(visitor.signIn()["code"], changing: ["client_info": "1"])
    #expect(answer.status == 200)
    #expect(answer.response.header("cache-control") == "no-store")
    #expect(answer["token_type"] == "Bearer")
    #expect(answer.members["not_before"] == .integer(1_767_225_600))
    #expect(answer.members["expires_in"] == .integer(3600))
    #expect(answer.members["expires_on"] == .integer(1_767_229_200))
    #expect(answer.members["id_token_expires_in"] == .integer(3600))
    #expect(answer.members["refresh_token_expires_in"] == .integer(1_209_600))
    #expect(answer["scope"] == Self.api + " offline_access")
    #expect(answer["refresh_token"] != nil)
    let info = try #require(answer["client_info"].flatMap { Base64URL.decode($0) })
    let members = try JSONDecoder().decode([String: String].self, from: info)
    #expect(members == ["uid": LocalUser.alice.id + "-b2c_1_signin", "utid": tenant.tenantID])
  }

  @Test("The id_token has the claims of the service and verifies")
  func idToken() async throws {
    let answer = try await visitor.tokens()
    #expect(
      answer.idToken == [
        "iss": .string("https://contoso.b2clogin.com/\(tenant.tenantID)/v2.0/"),
        "sub": .string(LocalUser.alice.id), "oid": .string(LocalUser.alice.id),
        "aud": .string(tenant.clientID), "exp": .integer(1_767_229_200), "nbf": .integer(1_767_225_600),
        "iat": .integer(1_767_225_600), "auth_time": .integer(1_767_225_600), "ver": .string("1.0"),
        "nonce": .string("nonce-1"), "tfp": .string("B2C_1_SignIn"), "name": .string("Alice Example"),
        "emails": .array([.string("alice@example.com")]),
        // The connector's own tests compare it with the access token.
        "at_hash": try #require(answer.idToken["at_hash"]),
      ])
    #expect(tenant.signingKeys[0].verifies(try #require(answer["id_token"])))
    #expect(answer.idToken["iss"] == .string(tenant.issuer))
  }

  @Test(
    "The hash of the access token is by the key's algorithm",
    arguments: [(JWSAlgorithm.es256, 22), (.es384, 32), (.es512, 43), (.edDSA, 43)])
  func hash(_ algorithm: JWSAlgorithm, _ length: Int) async throws {
    try tenant.rotateKeys(to: TestSigningKey.any(algorithm))
    #expect(try await visitor.tokens().idToken["at_hash"]?.string?.utf8.count == length)
  }

  @Test("An access token is for the API, and nothing else is taken for one")
  func accessToken() async throws {
    let answer = try await visitor.tokens()
    let claims = answer.accessToken
    #expect(claims["aud"] == .string(LocalTenant.standardAPIClientID))
    #expect(claims["scp"] == .string("read"))
    #expect(claims["azp"] == .string(tenant.clientID))
    let audiences: Set = [tenant.clientID, tenant.apiClientID]
    let access = try #require(answer["access_token"])
    #expect(tenant.claims(ofAccessToken: access, audiences: audiences) == claims)
    #expect(tenant.claims(ofAccessToken: access, audiences: ["other"]) == nil)
    let others = [
      try #require(answer["id_token"]), "x.y.z", try TestSigningKey.unsignedToken(claims: claims),
      try tenant.signingKeys[0].token(claims: claims.merging(["iss": .string("https://x.example")]) { $1 }),
    ]
    for other in others { #expect(tenant.claims(ofAccessToken: other, audiences: audiences) == nil) }
    await clock.advance(by: .seconds(3600))
    #expect(tenant.claims(ofAccessToken: access, audiences: audiences) == nil)
  }

  @Test("The scope openid alone gives no access token, the client ID gives one for the app itself")
  func scopes() async throws {
    let openID = try await visitor.tokens(["scope": "openid offline_access"])
    #expect(openID["access_token"] == nil && openID["id_token"] != nil)
    #expect(openID.members["expires_in"] == nil)
    #expect(openID.members["id_token_expires_in"] == .integer(3600))
    let own = try await visitor.tokens(["scope": "openid \(tenant.clientID)"])
    #expect(own.accessToken["aud"] == .string(tenant.clientID))
    #expect(own.accessToken["scp"] == nil)
    #expect(own["refresh_token"] == nil)
  }

  static let badRedemptions: [([String: String?], String)] = [
    (["code_verifier": nil], "AADB2C90083"), (["code_verifier": "short"], "AADB2C90083"),
    (["code_verifier": String(repeating: "a", count: 129)], "AADB2C90083"),
    (["code_verifier": String(repeating: "é", count: 43)], "AADB2C90083"),
    (["code_verifier": String(repeating: "a", count: 43)], "AADB2C90182"),
    (["redirect_uri": "com.example.tasks:/other"], "AADB2C90085"), (["client_id": "unknown"], "AADB2C90018"),
    (["client_id": nil], "AADB2C90083"), (["client_secret": "x"], "AADB2C90084"),
    (["grant_type": "password"], "AADB2C90083"), (["code": "unknown"], "AADB2C90085"), (["code": nil], "AADB2C90083"),
  ]

  @Test("A bad redemption is refused with its code", arguments: badRedemptions)
  func badRedemption(_ changes: [String: String?], _ code: String) async throws {
    let answer = try await visitor.redeem(visitor.signIn()["code"], changing: changes)
    #expect(answer.status == 400)
    #expect(answer.description.hasPrefix(code + ": "), "\(answer.description)")
    #expect(answer.description.contains("\r\nCorrelation ID: "))
    #expect(answer["access_token"] == nil)
  }

  @Test("A client secret has a code of its own", arguments: [LocalTenant.Shape.b2c, .entra, .ciam])
  func clientSecret(_ shape: LocalTenant.Shape) async throws {
    let visitor = TenantVisitor(LocalTenant(shape: shape))
    let code = shape == .b2c ? "AADB2C90084: " : "AADSTS700025: "
    let secret = try await visitor.redeem(visitor.signIn()["code"], changing: ["client_secret": "x"])
    #expect(secret.status == 400 && secret.description.hasPrefix(code))
    let basic = URLRequest(
      method: "POST", url: try visitor.url(visitor.tokenPath),
      headers: ["Authorization": "Basic eDp5", "Content-Type": "application/x-www-form-urlencoded"],
      body: Data("grant_type=refresh_token&refresh_token=x&client_id=\(visitor.tenant.clientID)".utf8))
    #expect(try TokenAnswer(await visitor.transport.answer(to: basic)).description.hasPrefix(code))
  }

  @Test("A code is good once, and its second use ends the tokens")
  func secondUse() async throws {
    let code = try await visitor.signIn()["code"]
    let first = try await visitor.redeem(code)
    #expect(first.status == 200)
    let second = try await visitor.redeem(code)
    #expect(second.error == "invalid_grant")
    #expect(second.description.hasPrefix("AADB2C90129"))
    #expect(try await visitor.refresh(first["refresh_token"]).error == "invalid_grant")
  }

  @Test("A code is good for ten minutes")
  func lifetime() async throws {
    let early = try await visitor.signIn()["code"]
    await clock.advance(by: .seconds(600))
    #expect(try await visitor.redeem(early).status == 200)
    let late = try await visitor.signIn()["code"]
    await clock.advance(by: .seconds(601))
    #expect(try await visitor.redeem(late).description.hasPrefix("AADB2C90080"))
  }

  @Test("A code and a refresh token belong to their policy")
  func otherPolicy() async throws {
    let other = visitor.at(.signUpOrSignIn)
    let code = try await visitor.signIn()["code"]
    let refused = try await other.redeem(code)
    #expect(refused.error == "invalid_grant")
    #expect(refused.description.hasPrefix("AADB2C90085"))
    let answer = try await visitor.redeem(code)
    #expect(answer.status == 200)
    #expect(try await other.refresh(answer["refresh_token"]).description.hasPrefix("AADB2C90085"))
    #expect(try await visitor.refresh(answer["refresh_token"]).status == 200)
  }

  @Test("The id of a request is echoed")
  func requestID() async throws {
    let id = "01234567-89ab-4cde-8f01-23456789abcd"
    var request = URLRequest(method: "POST", url: try visitor.url("/oauth2/v2.0/token"))
    request.setValue(id, forHTTPHeaderField: "client-request-id")
    let answer = try await visitor.transport.answer(to: request)
    #expect(answer.header("client-request-id") == id)
    #expect(try TokenAnswer(answer).description.contains(id))
  }

  @Test("Scopes, members and claims of an answer can be changed")
  func changes() async throws {
    tenant.users[0].claims = ["extension_Role": .string("admin")]
    tenant.behavior.grantedScopes = { $0.filter { $0 != "offline_access" } }
    tenant.behavior.changeTokenAnswer = { $0["expires_in"] = nil }
    tenant.behavior.changeIDTokenClaims = { $0["aud"] = .string("other") }
    tenant.behavior.changeAccessTokenClaims = { $0["extra"] = .bool(true) }
    let answer = try await visitor.tokens()
    #expect(answer.members["expires_in"] == nil)
    #expect(answer["refresh_token"] == nil)
    #expect(answer.idToken["aud"] == .string("other"))
    #expect(answer.idToken["extension_Role"] == .string("admin"))
    #expect(answer.accessToken["extra"] == .bool(true))
  }

  @Test(
    "An id_token can be signed wrongly",
    arguments: [LocalTenant.Behavior.Signing.foreignKey, .unknownKeyID, .unsigned, .damaged])
  func signing(_ signing: LocalTenant.Behavior.Signing) async throws {
    tenant.behavior.signIDTokens(signing)
    let token = try #require(try await visitor.tokens()["id_token"])
    let key = tenant.signingKeys[0]
    let header = TokenAnswer.part(0, of: token)
    #expect(!key.verifies(token))
    #expect(header["kid"] != .string(key.id) || signing == .foreignKey || signing == .damaged)
    #expect(header["alg"] == .string(signing == .unsigned ? "none" : "RS256"))
  }
}
