import B2CIDToken
import B2CTestKit
import Foundation
import TestSupport
import Testing

/// The token endpoint: codes, refresh tokens and device codes, and what they bring.
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

  // MARK: Tokens

  @Test("The answer has the members of the service")
  func members() async throws {
    let answer = try await visitor.redeem(visitor.signIn()["code"], changing: ["client_info": "1"])
    #expect(answer.status == 200 && answer.response.header("cache-control") == "no-store")
    let values = ["access_token", "id_token", "refresh_token", "client_info"]
    #expect(values.allSatisfy { answer[$0] != nil })
    #expect(
      answer.members.filter { !values.contains($0.key) } == [
        "token_type": "Bearer", "scope": "https://contoso.onmicrosoft.com/tasks/read offline_access",
        "not_before": 1_767_225_600, "expires_in": 3600, "expires_on": 1_767_229_200, "id_token_expires_in": 3600,
        "refresh_token_expires_in": 1_209_600,
      ])
    #expect(
      answer.clientInfo == [
        "uid": .string(LocalUser.alice.id + "-b2c_1_signin"), "utid": .string(tenant.tenantID),
      ])
  }

  @Test("The id_token has the claims of the service and verifies")
  func idToken() async throws {
    let answer = try await visitor.tokens()
    #expect(
      answer.idToken == [
        "iss": .string("https://contoso.b2clogin.com/\(tenant.tenantID)/v2.0/"), "aud": .string(tenant.clientID),
        "sub": .string(LocalUser.alice.id), "oid": .string(LocalUser.alice.id), "exp": 1_767_229_200,
        "nbf": 1_767_225_600, "iat": 1_767_225_600, "auth_time": 1_767_225_600, "ver": "1.0",
        "nonce": "nonce-1", "tfp": "B2C_1_SignIn", "name": "Alice Example", "emails": ["alice@example.com"],
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
    #expect(claims["aud"] == .string(LocalTenant.standardAPIClientID) && claims["scp"] == "read")
    #expect(claims["azp"] == .string(tenant.clientID))
    let audiences: Set = [tenant.clientID, tenant.apiClientID]
    let access = try #require(answer["access_token"])
    #expect(tenant.claims(ofAccessToken: access, audiences: audiences) == claims)
    #expect(tenant.claims(ofAccessToken: access, audiences: ["other"]) == nil)
    let others = [
      try #require(answer["id_token"]), "x.y.z", try TestSigningKey.unsignedToken(claims: claims),
      try tenant.signingKeys[0].token(claims: claims.merging(["iss": "https://x.example"]) { $1 }),
    ]
    for other in others { #expect(tenant.claims(ofAccessToken: other, audiences: audiences) == nil) }
    await clock.advance(by: .seconds(3600))
    #expect(tenant.claims(ofAccessToken: access, audiences: audiences) == nil)
  }

  @Test("The scope openid alone gives no access token, the client ID gives one for the app itself")
  func scopes() async throws {
    let openID = try await visitor.tokens(["scope": "openid offline_access"])
    #expect(openID["access_token"] == nil && openID["id_token"] != nil)
    #expect(openID.members["expires_in"] == nil && openID.members["id_token_expires_in"] == 3600)
    let own = try await visitor.tokens(["scope": "openid \(tenant.clientID)"])
    #expect(own.accessToken["aud"] == .string(tenant.clientID) && own.accessToken["scp"] == nil)
    #expect(own["refresh_token"] == nil)
  }

  @Test("Scopes, members and claims of an answer can be changed")
  func changes() async throws {
    tenant.users[0].claims = ["extension_Role": "admin"]
    tenant.behavior.grantedScopes = { $0.filter { $0 != "offline_access" } }
    tenant.behavior.changeTokenAnswer = { $0["expires_in"] = nil }
    tenant.behavior.changeIDTokenClaims = { $0["aud"] = "other" }
    tenant.behavior.changeAccessTokenClaims = { $0["extra"] = true }
    let answer = try await visitor.tokens()
    #expect(answer.members["expires_in"] == nil && answer["refresh_token"] == nil)
    #expect(answer.idToken["aud"] == "other" && answer.idToken["extension_Role"] == "admin")
    #expect(answer.accessToken["extra"] == true)
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
    #expect(header["alg"] == (signing == .unsigned ? "none" : "RS256"))
  }

  // MARK: Codes

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
    #expect(answer.status == 400 && answer["access_token"] == nil)
    #expect(answer.description.hasPrefix(code + ": "), "\(answer.description)")
    #expect(answer.description.contains("\r\nCorrelation ID: "))
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
    #expect(second.error == "invalid_grant" && second.description.hasPrefix("AADB2C90129"))
    #expect(try await visitor.refresh(first["refresh_token"]).error == "invalid_grant")
  }

  @Test("A code is good for ten minutes")
  func codeLifetime() async throws {
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
    #expect(refused.error == "invalid_grant" && refused.description.hasPrefix("AADB2C90085"))
    let token = try await visitor.redeem(code)["refresh_token"]
    #expect(try await other.refresh(token).description.hasPrefix("AADB2C90085"))
    #expect(try await visitor.refresh(token).status == 200)
  }

  @Test("The id of a request is echoed")
  func requestID() async throws {
    let id = "01234567-89ab-4cde-8f01-23456789abcd"
    let request = URLRequest(
      method: "POST", url: try visitor.url("/oauth2/v2.0/token"), headers: ["client-request-id": id])
    let answer = try await visitor.transport.answer(to: request)
    #expect(answer.header("client-request-id") == id)
    #expect(try TokenAnswer(answer).description.contains(id))
  }

  // MARK: Refreshes

  @Test("A refresh changes the tokens and keeps the user")
  func rotation() async throws {
    let first = try await visitor.tokens()
    await clock.advance(by: .seconds(60))
    let second = try await visitor.refresh(first["refresh_token"])
    #expect(second.status == 200 && second.members["expires_on"] == 1_767_229_260)
    #expect(second["refresh_token"] != first["refresh_token"] && second["access_token"] != first["access_token"])
    for claim in ["iss", "sub", "aud", "auth_time", "tfp"] {
      #expect(second.idToken[claim] == first.idToken[claim], "\(claim)")
    }
    #expect(second.idToken["nonce"] == nil)
    #expect(try await visitor.refresh(second["refresh_token"]).status == 200)
    #expect(tenant.counters.refreshRequests == 2 && tenant.counters.refreshes == 2)
  }

  @Test(
    "The second use of a refresh token is answered as the behaviour says",
    arguments: [
      (LocalTenant.Behavior.RefreshTokenReuse.revokesGrant, 400, 400), (.refused, 400, 200), (.allowed, 200, 200),
    ])
  func reuse(_ reuse: LocalTenant.Behavior.RefreshTokenReuse, _ reused: Int, _ replaced: Int) async throws {
    tenant.behavior.refreshTokenReuse = reuse
    let first = try await visitor.tokens()["refresh_token"]
    let second = try await visitor.refresh(first)["refresh_token"]
    for (token, status) in [(first, reused), (second, replaced)] {
      let answer = try await visitor.refresh(token)
      #expect(answer.status == status)
      if status == 400 { #expect(answer.error == "invalid_grant" && answer.description.hasPrefix("AADB2C90129")) }
    }
    #expect(tenant.counters.reusedRefreshTokens == 1)
  }

  @Test("Of many uses at the same time one is the first")
  func simultaneousUse() async throws {
    tenant.behavior.refreshTokenReuse = .refused
    let token = try await visitor.tokens()["refresh_token"]
    let statuses = try await simultaneously(50) { [visitor] _ in try await visitor.refresh(token).status }
    #expect(statuses.count { $0 == 200 } == 1 && tenant.counters.reusedRefreshTokens == 49)
  }

  @Test("Without rotation the answer has no refresh token")
  func withoutRotation() async throws {
    tenant.behavior.rotatesRefreshTokens = false
    let token = try await visitor.tokens()["refresh_token"]
    #expect(try await visitor.refresh(token)["refresh_token"] == nil)
    #expect(try await visitor.refresh(token).status == 200)
  }

  @Test("A refresh token lasts 14 days, and each use gives one that lasts as long again")
  func lifetime() async throws {
    var token = try await visitor.tokens()["refresh_token"]
    for _ in 0..<2 {
      await clock.advance(by: .seconds(13 * 86_400))
      let answer = try await visitor.refresh(token)
      #expect(answer.status == 200)
      token = answer["refresh_token"]
    }
    await clock.advance(by: .seconds(14 * 86_400))
    #expect(try await visitor.refresh(token).description.hasPrefix("AADB2C90080"))
  }

  @Test("Tokens are revoked for one user, for all, and with a deleted account")
  func revocation() async throws {
    let alice = try await visitor.tokens()["refresh_token"]
    let bob = try await visitor.tokens(as: visitor.user(.signIn(.bob)))["refresh_token"]
    tenant.revokeGrants(of: .alice)
    #expect(try await visitor.refresh(alice).description.hasPrefix("AADB2C90129"))
    let next = try await visitor.refresh(bob)
    #expect(next.status == 200)
    tenant.revokeGrants()
    #expect(try await visitor.refresh(next["refresh_token"]).description.hasPrefix("AADB2C90129"))
    #expect(tenant.counters.reusedRefreshTokens == 0)
    let again = try await visitor.tokens()["refresh_token"]
    tenant.users = [.bob]
    #expect(try await visitor.refresh(again).description.hasPrefix("AADB2C90129"))
  }

  static let badRefreshes: [([String: String?], String)] = [
    (["refresh_token": "unknown"], "AADB2C90129"), (["refresh_token": ""], "AADB2C90129"),
    (["refresh_token": nil], "AADB2C90083"), (["client_secret": "x"], "AADB2C90084"),
    (["client_secret": ""], "AADB2C90084"), (["client_assertion": "x"], "AADB2C90084"),
    (["scope": "https://contoso.onmicrosoft.com/x/y"], "AADB2C90117"),
  ]

  @Test("A bad refresh is refused with its code, and the token can still be used", arguments: badRefreshes)
  func badRefresh(_ changes: [String: String?], _ code: String) async throws {
    let token = try await visitor.tokens()["refresh_token"]
    #expect(try await visitor.refresh(token, changing: changes).description.hasPrefix(code))
    #expect(try await visitor.refresh(token).status == 200)
  }

  @Test("A refresh can ask for fewer scopes")
  func fewerScopes() async throws {
    let token = try await visitor.tokens()["refresh_token"]
    let scope = "https://contoso.onmicrosoft.com/tasks/write offline_access"
    let answer = try await visitor.refresh(token, changing: ["scope": scope])
    #expect(answer["id_token"] == nil && answer.accessToken["scp"] == "write")
  }
}
