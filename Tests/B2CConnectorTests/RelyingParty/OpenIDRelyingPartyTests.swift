import B2CConnector
import B2CIDToken
import B2CTestKit
import Foundation
import TestSupport
import Testing

/// The modules of the OpenID Foundation's plans for relying parties, as `Tests/Interop/README.md` lists them.
@Suite("OpenID Connect relying party", .descriptors(), .hangLimit)
struct OpenIDRelyingPartyTests {
  typealias Redirect = RelyingParty.Redirect

  /// A module whose provider sends an id_token that must be refused.
  struct Refusal: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let words: String
    let behavior: @Sendable (inout LocalTenant.Behavior) -> Void

    init(_ module: String, _ words: String, _ behavior: @escaping @Sendable (inout LocalTenant.Behavior) -> Void) {
      testDescription = module
      self.words = words
      self.behavior = behavior
    }

    init(_ module: String, _ claim: String, _ value: JSONValue?, _ words: String) {
      self.init(module, words) { $0.changeIDTokenClaims = { $0[claim] = value } }
    }

    static func unsigned(_ module: String, listing algorithms: [JSONValue]) -> Refusal {
      Refusal(module, " alg") {
        $0.signIDTokens(.unsigned)
        $0.changeMetadata = { $0["id_token_signing_alg_values_supported"] = .array(algorithms) }
      }
    }
  }

  static let refusals: [Refusal] = [
    Refusal("invalid-iss", "iss", "https://evil.example", " iss"),
    Refusal("missing-sub", "sub", nil, "no sub"),
    Refusal("invalid-aud", "aud", "another-client", " aud"),
    Refusal("missing-iat", "iat", nil, "its iat"),
    Refusal("nonce-invalid", "nonce", "another-nonce", " nonce"),
    Refusal("invalid-sig-rs256", "its signature is not") { $0.signIDTokens(.damaged) },
    .unsigned("idtoken-sig-none", listing: ["RS256"]),
    .unsigned("idtoken-sig-none, listed too", listing: ["none", "RS256"]),
    .unsigned("idtoken-sig-none, listed alone", listing: ["none"]),
  ]

  @Test(
    "An id_token that a module spoils is refused, and nothing is stored or used", arguments: refusals, Redirect.allCases
  )
  func refused(_ refusal: Refusal, _ redirect: Redirect) async throws {
    let party = try RelyingParty(redirect, behavior: refusal.behavior)
    #expect(try await party.refusedSignIn().contains(refusal.words))
  }

  @Test("oidcc-client-test, -idtoken-sig-rs256", arguments: Redirect.allCases)
  func signIn(_ redirect: Redirect) async throws {
    let party = try RelyingParty(redirect)
    let user = try await party.connector.signIn().user
    #expect(user.subject == LocalUser.alice.id)
    #expect(await party.browser.nextArrival())
    #expect(try party.lastIDTokenHeader()["alg"] == "RS256")
    #expect(try await party.connector.fetchUserInfo().subject == user.subject)
    let bearer = try #require(party.requests("/userinfo").last?.bearerToken)
    #expect(bearer == (try await party.connector.accessToken().token.value))
    let request = try #require(party.requests("/authorize").first).query
    #expect(request["response_type"] == "code" && request["code_challenge_method"] == "S256")
    #expect(request["nonce"]?.isEmpty == false && request["state"]?.isEmpty == false)
    #expect(request["scope"]?.split(separator: " ").first == "openid")
  }

  private static let otherKey = Result { try TestSigningKey() }

  @Test("oidcc-client-test-kid-absent-single-jwks, -multiple-jwks", arguments: Redirect.allCases, [false, true])
  func unnamedKeys(_ redirect: Redirect, areSeveral: Bool) async throws {
    let others = areSeveral ? [try Self.otherKey.get().jwk] : []
    let party = try RelyingParty(redirect) {
      $0.changeIDTokenHeader { $0["kid"] = .null }
      $0.changeKeys = { keys in keys = (others + keys).map { $0.filter { $0.key != "kid" } } }
    }
    try await party.connector.signIn()
    #expect(try party.lastIDTokenHeader()["kid"] == nil)
  }

  @Test("oidcc-client-test-userinfo-invalid-sub", arguments: Redirect.allCases)
  func otherSubjectInUserInfo(_ redirect: Redirect) async throws {
    let party = try RelyingParty(redirect) { $0.changeUserInfo = { $0["sub"] = "another-person" } }
    let user = try await party.connector.signIn().user
    await expectError(ConnectorError.self, .invalidResponse) { try await party.connector.fetchUserInfo() }
    #expect(party.requests("/userinfo").count == 1)
    #expect(try await party.connector.session == .signedIn(user))
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

  @Test("oidcc-client-test-discovery-openid-config", arguments: Redirect.allCases)
  func discovery(_ redirect: Redirect) async throws {
    let party = try RelyingParty(redirect)
    try await party.connector.signIn()
    let document = try #require(party.requests("/.well-known/openid-configuration").first?.response?.body)
    let fields = try JSONReader.object(document)
    // Everything else goes where the document says.
    let used = party.tenant.requests.dropFirst().map { ($0.request.url?.absoluteString ?? "").prefix { $0 != "?" } }
    for name in ["authorization_endpoint", "token_endpoint", "jwks_uri"] {
      #expect(used.contains { fields[name]?.string == String($0) }, "\(name)")
    }
    #expect(party.tenant.counters.metadataRequests == 1)
  }

  @Test("oidcc-client-test-discovery-jwks-uri-keys", arguments: Redirect.allCases)
  func keys(_ redirect: Redirect) async throws {
    let party = try RelyingParty(redirect)
    try await party.connector.signIn()
    #expect(party.tenant.counters.keysRequests == 1)
    // With the keys of another provider the same sign-in fails, so the published keys check the signature.
    let id = try #require(try party.lastIDTokenHeader()["kid"])
    let other = try Self.otherKey.get().jwk.merging(["kid": id]) { $1 }
    let foreign = try RelyingParty(redirect) { $0.changeKeys = { $0 = [other] } }
    #expect(try await foreign.refusedSignIn().contains("its signature is not"))
  }

  @Test("oidcc-client-test-discovery-issuer-mismatch", arguments: Redirect.allCases)
  func issuerMismatch(_ redirect: Redirect) async throws {
    let party = try RelyingParty(redirect) { $0.changeMetadata = { $0["issuer"] = "https://evil.example" } }
    await expectError(ConnectorError.self, .invalidResponse, saying: "issuer") { try await party.connector.signIn() }
    #expect(party.browser.opened.isEmpty && party.requests("/authorize").isEmpty)
  }

  @Test(
    "oidcc-client-test-signing-key-rotation, -rotation-just-before-signing", arguments: Redirect.allCases,
    [false, true])
  func rotation(_ redirect: Redirect, isJustBeforeSigning: Bool) async throws {
    let party = try RelyingParty(redirect)
    // The keys are known by the first sign-in.
    try await party.connector.signIn()
    let old = try party.lastIDTokenHeader()["kid"]
    let (tenant, new) = (party.tenant, try TestSigningKey())
    if !isJustBeforeSigning { tenant.rotateKeys(to: new) }
    party.scene.transport.intercept { request in
      if isJustBeforeSigning, request.isTokenRequest { tenant.rotateKeys(to: new, keepingOld: false) }
      return nil
    }
    try await party.connector.signIn(options: SignInOptions(prompt: .login))
    #expect(try party.lastIDTokenHeader()["kid"] != old)
    #expect(tenant.counters.keysRequests == 2)
  }

  @Test(
    "oidcc-client-test-rp-init-logout, -other-state, -no-state",
    arguments: [(nil, BrowserSignOut.returned), ("?state=another-state", .notReturned), ("", .notReturned)],
    Redirect.allCases)
  func logout(_ row: (query: String?, outcome: BrowserSignOut), _ redirect: Redirect) async throws {
    // No waiting time ends on this clock.
    let party = try RelyingParty(redirect, holdsTime: true)
    try await party.connector.signIn()
    #expect(await party.browser.nextArrival())
    party.browser.changeRedirect.withLock {
      $0 = { redirect in
        guard let query = row.query else { return redirect }
        return try url("\(redirect.absoluteString.prefix { $0 != "?" })\(query)")
      }
    }
    let signOut = Task { try await party.connector.signOut(endsBrowserSession: true) }
    let isTaken = await party.browser.nextArrival()
    #expect(isTaken, "The app does not take the redirect, and waits for another one.")
    // Ends the wait of an app that does not.
    if !isTaken { await party.scene.clock.advance(by: .seconds(60)) }
    #expect(try await signOut.value == row.outcome)
    let request = try #require(party.requests("/logout").first).query
    let place = redirect == .loopback ? "http://127.0.0.1:" : redirect.rawValue
    #expect(request["post_logout_redirect_uri"]?.hasPrefix(place) == true)
    #expect(request["state"]?.isEmpty == false)
    #expect(party.tenant.sessionCount == 0)
    #expect(try await party.connector.session == .signedOut)
  }

  @Test("oidcc-client-test-refresh-token", arguments: Redirect.allCases)
  func refresh(_ redirect: Redirect) async throws {
    let party = try RelyingParty(redirect)
    let first = try await party.connector.signIn().accessToken?.token
    await party.scene.clock.advance(by: .seconds(4_000))
    let second = try await party.connector.accessToken().token
    #expect(second != first)
    #expect(try await party.connector.fetchUserInfo().subject == LocalUser.alice.id)
    #expect(party.requests("/userinfo").last?.bearerToken == second.value)
    #expect(party.tenant.counters.refreshRequests == 1)
  }

  @Test(
    "oidcc-client-test-refresh-token-invalid-issuer, -invalid-sub",
    arguments: [("iss", "https://evil.example"), ("sub", "another-person")], Redirect.allCases)
  func refusedRefresh(_ claim: (name: String, value: String), _ redirect: Redirect) async throws {
    let party = try RelyingParty(redirect)
    try await party.connector.signIn()
    let before = try await party.scene.record()
    await party.scene.clock.advance(by: .seconds(4_000))
    party.tenant.behavior.changeIDTokenClaims = { $0[claim.name] = .string(claim.value) }
    await expectError(ConnectorError.self, .interactionRequired) { try await party.connector.accessToken() }
    #expect(party.tenant.counters.refreshes == 1)
    let after = try await party.scene.record()
    #expect(after.claims == before.claims && after.accessTokens.isEmpty && after.refreshToken == nil)
    // Nor is it sent to the userinfo endpoint.
    await expectError(ConnectorError.self, .interactionRequired) { try await party.connector.fetchUserInfo() }
    #expect(party.requests("/userinfo").isEmpty)
  }
}
