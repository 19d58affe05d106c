import B2CConnector
import B2CCore
import B2CHTTP
import B2CIDToken
import B2CTestKit
import Foundation
import TestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("Authorities without a policy", .hangLimit)
struct OpenIDProviderTests {
  @Test("Sign-in, refresh and sign-out", arguments: [LocalTenant.Shape.entra, .ciam, .openIDConnect])
  func works(_ shape: LocalTenant.Shape) async throws {
    let scene = Scene(shape: shape)
    let connector = try scene.connector()
    let result = try await connector.signIn()
    #expect(result.user.objectID == LocalUser.alice.id || result.user.subject == LocalUser.alice.id)
    #expect(result.policy == nil && result.user.policyID == nil)
    await scene.clock.advance(by: .seconds(4_000))
    #expect(try await connector.accessToken().token != result.accessToken?.token)
    try await connector.signOut(endsBrowserSession: true)
    #expect(try await connector.users().isEmpty)
  }

  @Test(
    "A generic issuer's iss in the callback is checked (RFC 9207)",
    arguments: [nil, "https://evil.example"])
  func mixUp(_ issuer: String?) async throws {
    let scene = Scene(shape: .openIDConnect)
    scene.tenant.faults = [.callback("iss", issuer)]
    await expectError(ConnectorError.self, .invalidResponse, saying: "issuer") { try await scene.connector().signIn() }
    #expect(scene.transport.tokenForms.isEmpty)
  }

  @Test("Entra ID's shared tenants", arguments: ["common", "organizations", "consumers"])
  func shared(_ name: String) async throws {
    // Personal accounts have a tenant of their own, which `consumers` stands for.
    let scene = Scene(
      shape: .entra, tenantID: name == "consumers" ? "9188040d-6c67-4c5b-b112-36a304b66dad" : UUID().uuidString)
    let text = "\(scene.tenant.origin.absoluteString)/\(name)"
    let authority = try Authority(text, kind: .entra)
    let connector = try scene.connector(scene.settings { $0.authority = authority })
    let result = try await connector.signIn()
    // The user belongs to the person's own tenant, whatever was asked.
    #expect(result.user.id == "\(LocalUser.alice.id).\(scene.tenant.tenantID)")
    #expect(scene.network.requests.contains { $0.request.url?.path.hasPrefix("/\(name)/") == true })
    await scene.clock.advance(by: .seconds(4_000))
    _ = try await connector.accessToken()
  }

  @Test("An iss in the callback of a shared tenant may name any tenant and no other host")
  func sharedIssuer() async throws {
    let scene = Scene(shape: .entra)
    let authority = try Authority("\(scene.tenant.origin.absoluteString)/common", kind: .entra)
    func signIn(_ issuer: String) async throws {
      let presenter = CallbackPresenter(scene.script(.signIn(.alice))) {
        try require(URL(string: $0.absoluteString + "&iss=" + FormEncoding.escape(issuer)))
      }
      try await scene.connector(scene.settings { $0.authority = authority }, presenter: presenter).signIn(
        options: SignInOptions(prompt: .login))
    }
    try await signIn(scene.tenant.issuer)
    for evil in ["https://evil.example/\(scene.tenant.tenantID)/v2.0", scene.tenant.issuer + "/x", ""] {
      await expectError(ConnectorError.self, .invalidResponse, saying: "issuer") { try await signIn(evil) }
    }
  }

  @Test("A generic issuer gives an access token for openid alone")
  func openidOnly() async throws {
    let scene = Scene(shape: .openIDConnect)
    let connector = try scene.connector(scene.settings { $0.scopes = ["openid"] })
    try await connector.signIn()
    _ = try await connector.accessToken()
  }

  @Test("An issuer that publishes no algorithms signs with RS256 alone", arguments: [true, false])
  func unpublishedAlgorithms(isPublished: Bool) async throws {
    let scene = Scene(shape: .openIDConnect) { behavior in
      guard !isPublished else { return }
      behavior.changeMetadata = { $0["id_token_signing_alg_values_supported"] = nil }
    }
    scene.tenant.rotateKeys(to: try TestSigningKey.any(.es256), keepingOld: false)
    if isPublished {
      try await scene.connector().signIn()
    } else {
      let error = try await #require(throws: ConnectorError.self) { try await scene.connector().signIn() }
      #expect(error.message.contains(" alg"), "\(error)")
    }
  }

  @Test(
    "Metadata of another issuer is refused before a page opens", arguments: [LocalTenant.Shape.openIDConnect, .ciam])
  func foreignMetadata(_ shape: LocalTenant.Shape) async throws {
    let scene = Scene(shape: shape) { $0.changeMetadata = { $0["issuer"] = "https://evil.example/v2.0/" } }
    let presenter = scene.script(.signIn(.alice))
    let authority = try Authority("\(scene.tenant.origin.absoluteString)/\(scene.tenant.tenantID)", kind: .ciam)
    let connector = try scene.connector(
      scene.settings { if shape == .ciam { $0.authority = authority } }, presenter: presenter)
    await expectError(ConnectorError.self, .invalidResponse, saying: "issuer") { try await connector.signIn() }
    #expect(presenter.requests.isEmpty)
  }

  @Test("Metadata of Microsoft's authorities changes no URL", arguments: [LocalTenant.Shape.b2c, .entra, .ciam])
  func foreignEndpoints(_ shape: LocalTenant.Shape) async throws {
    let scene = Scene(shape: shape) {
      $0.changeMetadata = { metadata in
        for name in metadata.keys where name.hasSuffix("_endpoint") { metadata[name] = "https://evil.example/x" }
        metadata["revocation_endpoint"] = "https://evil.example/x"
      }
    }
    let presenter = scene.script(.signIn(.alice))
    let connector = try scene.connector(presenter: presenter)
    _ = try await connector.signIn()
    _ = try await connector.accessToken(forceRefresh: true)
    _ = try await connector.fetchUserInfo()
    try await connector.signOut(endsBrowserSession: true)
    let asked = scene.transport.requests.compactMap(\.url) + presenter.requests.map(\.url)
    #expect(asked.count > 5 && asked.allSatisfy { $0.host == scene.tenant.origin.host })
  }

  @Test(
    "An id_token of another issuer than the host publishes is refused, also at a shared tenant",
    arguments: [
      ("iss", "https://evil.example/{tenantid}/v2.0"), ("iss", "https://evil.example/v2.0"), ("tid", "evil.example"),
      ("tid", "00000000-0000-4000-8000-000000000001"),
    ], [LocalTenant.Shape.entra, .ciam])
  func foreignTokens(_ claim: (String, String), _ shape: LocalTenant.Shape) async throws {
    let scene = Scene(shape: shape)
    let tenantID = scene.tenant.tenantID
    scene.tenant.behavior.changeIDTokenClaims = {
      $0[claim.0] = .string(claim.1.replacingOccurrences(of: "{tenantid}", with: tenantID))
    }
    let common = shape == .entra ? "common" : "contoso.onmicrosoft.com"
    let authority = try Authority(
      "\(scene.tenant.origin.absoluteString)/\(common)", kind: shape == .entra ? .entra : .ciam)
    let connector = try scene.connector(scene.settings { $0.authority = authority })
    // External ID publishes the issuer of one tenant, which says nothing about `tid`.
    guard shape == .entra || claim.0 == "iss" else { return }
    await expectError(ConnectorError.self, .invalidResponse, saying: "id_token is refused") {
      try await connector.signIn()
    }
  }

  @Test("Metadata over http is refused", arguments: ["jwks_uri", "authorization_endpoint"])
  func insecure(_ member: String) async throws {
    let scene = Scene(shape: .openIDConnect) { $0.changeMetadata = { $0[member] = "http://login.example/x" } }
    await expectError(ConnectorError.self, .invalidResponse) { try await scene.connector().signIn() }
  }

  @Test(
    "An optional endpoint that cannot be used is not there",
    arguments: ["http://127.0.0.1:9404/x", "", "x:", "https://me@evil.example/x"])
  func userInfoEndpoint(_ text: String) async throws {
    let scene = Scene(shape: .openIDConnect) { $0.changeMetadata = { $0["userinfo_endpoint"] = .string(text) } }
    let connector = try scene.connector()
    let user = try await connector.signIn().user
    #expect(try await connector.fetchUserInfo() == user)
  }

  @Test(
    "An issuer on this machine may not name http endpoints elsewhere",
    arguments: ["token_endpoint", "jwks_uri"])
  func insecureFromThisMachine(_ member: String) async throws {
    let scene = Scene(shape: .openIDConnect) { $0.changeMetadata = { $0[member] = "http://evil.example/x" } }
    try await scene.tenant.start()
    let presenter = scene.script(.signIn(.alice))
    await expectError(ConnectorError.self, .invalidResponse) {
      try await scene.connector(presenter: presenter).signIn()
    }
    #expect(presenter.requests.isEmpty)
    await scene.tenant.stop()
  }

  @Test(
    "An authorization endpoint with a parameter of the protocol is refused before a page opens (RFC 6749 section 3.1)",
    arguments: [
      "state=evil", "a=b&redirect_uri=https%3A%2F%2Fevil.example", "code_challenge_method=plain", "NONCE=x",
      "%63lient_id=x", "scope", "response%5Fmode=fragment", "%20state=x", "prompt=none",
    ])
  func presetParameter(_ query: String) async throws {
    let scene = Scene(shape: .openIDConnect) {
      $0.changeMetadata = {
        $0["authorization_endpoint"] = .string(($0["authorization_endpoint"]?.string ?? "") + "?" + query)
      }
    }
    let presenter = scene.script(.signIn(.alice))
    let error = try await #require(throws: ConnectorError.self) {
      try await scene.connector(presenter: presenter).signIn()
    }
    #expect(error.code == .invalidResponse && error.message.contains("authorization_endpoint"))
    #expect(presenter.requests.isEmpty)
  }

  @Test("An authorization endpoint keeps a query of its own", arguments: ["campaign=spring", "p=x", "tenant=a&b="])
  func ownQuery(_ query: String) async throws {
    let scene = Scene(shape: .openIDConnect) {
      $0.changeMetadata = {
        $0["authorization_endpoint"] = .string(($0["authorization_endpoint"]?.string ?? "") + "?" + query)
      }
    }
    let presenter = scene.script(.signIn(.alice))
    _ = try await scene.connector(presenter: presenter).signIn()
    #expect(presenter.requests.first?.url.query?.hasPrefix(query + "&") == true)
  }

  @Test(
    "An endpoint of the sign-out with a parameter of the protocol is not there",
    arguments: [
      "state=evil", "a=b&post_logout_redirect_uri=x", "CLIENT_ID=x", "id_token_hint", "logout_hint=x", "a=b", "p=x",
    ])
  func presetParameterOfSignOut(_ query: String) async throws {
    let scene = Scene(shape: .openIDConnect) {
      $0.changeMetadata = {
        $0["end_session_endpoint"] = .string(($0["end_session_endpoint"]?.string ?? "") + "?" + query)
      }
    }
    let presenter = scene.script(.signIn(.alice))
    let connector = try scene.connector(presenter: presenter)
    _ = try await connector.signIn()
    guard !["a=b", "p=x"].contains(query) else {
      #expect(try await connector.signOut(endsBrowserSession: true) == .returned)
      return
    }
    await expectError(ConnectorError.self, .unsupported) { try await connector.signOut(endsBrowserSession: true) }
    #expect(presenter.requests.count == 1)
  }

  @Test(
    "A document that is no JSON, or is elsewhere, is told as what it is",
    arguments: [(200, "<!DOCTYPE html>", "is HTML"), (200, " ", "is empty"), (301, "", "a redirect")])
  func foreignDocument(_ status: Int, _ body: String, _ words: String) async throws {
    let scene = Scene(shape: .openIDConnect)
    scene.tenant.faults = [
      LocalFault(on: .metadata, .respond(LocalResponse(status: status, body: Data(body.utf8))))
    ]
    let error = try await #require(throws: ConnectorError.self) { try await scene.connector().signIn() }
    #expect(error.code == .invalidResponse && error.message.contains(words), "\(error)")
    #expect(error.recoverySuggestion?.contains("authority") == true, "\(error)")
  }

  @Test("A service that says 408 may be asked later", arguments: [LocalFaultTarget.metadata, .keys])
  func slowDocuments(_ target: LocalFaultTarget) async throws {
    let scene = Scene()
    scene.tenant.faults = [LocalFault(on: target, .respond(LocalResponse(status: 408)))]
    let connector = try scene.connector { $0.retry = .none }
    let error = try await #require(throws: ConnectorError.self) { try await connector.signIn() }
    #expect(error.code == .timedOut)
    #expect(error.isRetryable)
  }
}
