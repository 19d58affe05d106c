import B2CConnector
import B2CCore
import B2CIDToken
import B2CTestKit
import Foundation
import TestSupport
import Testing

/// The modules of `oidcc-client-basic-certification-test-plan`.
///
/// `oidcc-client-test-client-secret-basic` is missing: a public client has no secret.
@Suite("OpenID Connect relying party: Basic RP", .descriptors(), .hangLimit)
struct OpenIDBasicRelyingPartyTests {
  typealias Redirect = RelyingParty.Redirect

  private static let otherKey = Result { try TestSigningKey() }

  @Test("oidcc-client-test", arguments: Redirect.allCases)
  func signIn(_ redirect: Redirect) async throws {
    let party = try RelyingParty(redirect)
    let user = try await party.connector.signIn().user
    #expect(user.subject == LocalUser.alice.id)
    #expect(await party.browser.nextArrival())
    #expect(try await party.connector.fetchUserInfo().subject == user.subject)
    let bearer = try #require(party.requests("/userinfo").last?.bearerToken)
    #expect(bearer == (try await party.connector.accessToken().token.value))
    let request = try #require(party.requests("/authorize").first).query
    #expect(request["response_type"] == "code" && request["code_challenge_method"] == "S256")
    #expect(request["nonce"]?.isEmpty == false && request["state"]?.isEmpty == false)
    #expect(request["scope"]?.split(separator: " ").first == "openid")
  }

  @Test("oidcc-client-test-invalid-iss", arguments: Redirect.allCases)
  func invalidIssuer(_ redirect: Redirect) async throws {
    let party = try RelyingParty(redirect) { $0.changeIDTokenClaims = { $0["iss"] = "https://evil.example" } }
    #expect(try await party.refusedSignIn().contains(" iss"))
  }

  @Test("oidcc-client-test-missing-sub", arguments: Redirect.allCases)
  func missingSubject(_ redirect: Redirect) async throws {
    let party = try RelyingParty(redirect) { $0.changeIDTokenClaims = { $0["sub"] = nil } }
    #expect(try await party.refusedSignIn().contains("no sub"))
  }

  @Test("oidcc-client-test-invalid-aud", arguments: Redirect.allCases)
  func invalidAudience(_ redirect: Redirect) async throws {
    let party = try RelyingParty(redirect) { $0.changeIDTokenClaims = { $0["aud"] = "another-client" } }
    #expect(try await party.refusedSignIn().contains(" aud"))
  }

  @Test("oidcc-client-test-missing-iat", arguments: Redirect.allCases)
  func missingIssuedAt(_ redirect: Redirect) async throws {
    let party = try RelyingParty(redirect) { $0.changeIDTokenClaims = { $0["iat"] = nil } }
    #expect(try await party.refusedSignIn().contains("its iat"))
  }

  @Test("oidcc-client-test-kid-absent-single-jwks", arguments: Redirect.allCases)
  func oneUnnamedKey(_ redirect: Redirect) async throws {
    let party = try RelyingParty(redirect) {
      $0.changeIDTokenHeader { $0["kid"] = .null }
      $0.changeKeys = { $0[0]["kid"] = nil }
    }
    try await party.connector.signIn()
    #expect(try party.lastIDTokenHeader()["kid"] == nil)
  }

  /// The suite lets a client refuse such a token; here every key that fits is tried.
  @Test("oidcc-client-test-kid-absent-multiple-jwks", arguments: Redirect.allCases)
  func severalUnnamedKeys(_ redirect: Redirect) async throws {
    let other = try Self.otherKey.get().jwk
    let party = try RelyingParty(redirect) {
      $0.changeIDTokenHeader { $0["kid"] = .null }
      $0.changeKeys = { keys in keys = ([other] + keys).map { $0.filter { $0.key != "kid" } } }
    }
    try await party.connector.signIn()
    #expect(try party.lastIDTokenHeader()["kid"] == nil)
  }

  @Test("oidcc-client-test-idtoken-sig-rs256", arguments: Redirect.allCases)
  func signedWithRS256(_ redirect: Redirect) async throws {
    let party = try RelyingParty(redirect)
    try await party.connector.signIn()
    #expect(try party.lastIDTokenHeader()["alg"] == "RS256")
  }

  @Test("oidcc-client-test-idtoken-sig-none", arguments: Redirect.allCases, [false, true])
  func unsigned(_ redirect: Redirect, isListed: Bool) async throws {
    let party = try RelyingParty(redirect) {
      $0.signIDTokens(.unsigned)
      if isListed { $0.changeMetadata = { $0["id_token_signing_alg_values_supported"] = ["none", "RS256"] } }
    }
    #expect(try await party.refusedSignIn().contains(" alg"))
  }

  @Test("oidcc-client-test-invalid-sig-rs256", arguments: Redirect.allCases)
  func invalidSignature(_ redirect: Redirect) async throws {
    let party = try RelyingParty(redirect) { $0.signIDTokens(.damaged) }
    #expect(try await party.refusedSignIn().contains("its signature is not"))
  }

  @Test("oidcc-client-test-userinfo-invalid-sub", arguments: Redirect.allCases)
  func otherSubjectInUserInfo(_ redirect: Redirect) async throws {
    let party = try RelyingParty(redirect) { $0.changeUserInfo = { $0["sub"] = "another-person" } }
    let user = try await party.connector.signIn().user
    await expectError(ConnectorError.self, .invalidResponse) { try await party.connector.fetchUserInfo() }
    #expect(party.requests("/userinfo").count == 1)
    #expect(try await party.connector.session == .signedIn(user))
  }

  @Test("oidcc-client-test-nonce-invalid", arguments: Redirect.allCases)
  func invalidNonce(_ redirect: Redirect) async throws {
    let party = try RelyingParty(redirect) { $0.changeIDTokenClaims = { $0["nonce"] = "another-nonce" } }
    #expect(try await party.refusedSignIn().contains(" nonce"))
  }

  @Test("oidcc-client-test-scope-userinfo-claims", arguments: Redirect.allCases)
  func claimsOfScopes(_ redirect: Redirect) async throws {
    let party = try RelyingParty(redirect, scopes: ["openid", "profile", "email"])
    try await party.connector.signIn()
    let scopes = try #require(party.requests("/authorize").first?.query["scope"]).split(separator: " ")
    #expect(scopes.contains("profile") && scopes.contains("email"))
    let info = try await party.connector.fetchUserInfo()
    #expect(info.name == LocalUser.alice.displayName && info.emails == [LocalUser.alice.email])
  }
}
