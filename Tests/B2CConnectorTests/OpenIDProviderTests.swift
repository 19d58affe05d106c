import B2CConnector
import B2CIDToken
import B2CTestKit
import Foundation
import TestSupport
import Testing

@Suite("Authorities without a policy", .hangLimit)
struct OpenIDProviderTests {
  @Test(
    "At a shared tenant of Entra ID the user belongs to a tenant of their own",
    arguments: ["common", "organizations", "consumers"])
  func shared(_ name: String) async throws {
    // Personal accounts have a tenant of their own, which `consumers` stands for.
    let scene = Scene(
      shape: .entra, tenantID: name == "consumers" ? "9188040d-6c67-4c5b-b112-36a304b66dad" : UUID().uuidString)
    let authority = try Authority("\(scene.tenant.origin.absoluteString)/\(name)", kind: .entra)
    let connector = try scene.connector(scene.settings { $0.authority = authority })
    #expect(try await connector.signIn().user.id == "\(LocalUser.alice.id).\(scene.tenant.tenantID)")
    #expect(scene.network.requests.contains { $0.request.url?.path.hasPrefix("/\(name)/") == true })
    await scene.expire()
    _ = try await connector.accessToken()
  }

  @Test("An iss in the callback of a shared tenant may name any tenant and no other host")
  func sharedIssuer() async throws {
    let scene = Scene(shape: .entra)
    let authority = try Authority("\(scene.tenant.origin.absoluteString)/common", kind: .entra)
    func signIn(_ issuer: String) async throws {
      let presenter = ClosurePresenter(scene.script(.signIn(.alice))) {
        try url($0.absoluteString + "&iss=" + FormEncoding.escape(issuer))
      }
      try await scene.connector(scene.settings { $0.authority = authority }, presenter: presenter).signIn(
        options: SignInOptions(prompt: .login))
    }
    try await signIn(scene.tenant.issuer)
    for evil in ["https://evil.example/\(scene.tenant.tenantID)/v2.0", scene.tenant.issuer + "/x", ""] {
      await expectError(ConnectorError.self, .invalidResponse, saying: "issuer") { try await signIn(evil) }
    }
  }

  @Test("An issuer that publishes no algorithms signs with RS256 alone")
  func unpublishedAlgorithms() async throws {
    let scene = Scene(shape: .openIDConnect)
    scene.tenant.rotateKeys(to: try TestSigningKey.any(.es256), keepingOld: false)
    try await scene.connector().signIn()
    scene.tenant.behavior.changeMetadata = { $0["id_token_signing_alg_values_supported"] = nil }
    await expectError(ConnectorError.self, .invalidResponse, saying: " alg") { try await scene.connector().signIn() }
  }

  @Test("Metadata of Microsoft's authorities changes no URL", arguments: [LocalTenant.Shape.b2c, .entra, .ciam])
  func foreignEndpoints(_ shape: LocalTenant.Shape) async throws {
    let scene = Scene(shape: shape) {
      $0.changeMetadata = { metadata in
        for name in metadata.keys where name.hasSuffix("_endpoint") { metadata[name] = "https://evil.example/x" }
        metadata["revocation_endpoint"] = "https://evil.example/x"
      }
    }
    let stage = try await SignedInScene(scene, after: 0)
    _ = try await stage.connector.accessToken(forceRefresh: true)
    _ = try await stage.connector.fetchUserInfo()
    try await stage.connector.signOut(endsBrowserSession: true)
    let asked = scene.transport.requests.compactMap(\.url) + stage.presenter.requests.map(\.url)
    #expect(asked.count > 5 && asked.allSatisfy { $0.host == scene.tenant.origin.host })
  }

  @Test(
    "Metadata that names an http endpoint elsewhere, or on this machine for an https issuer, is refused",
    arguments: [
      ("jwks_uri", "http://evil.example/x", false), ("authorization_endpoint", "http://evil.example/x", false),
      ("token_endpoint", "http://evil.example/x", true), ("jwks_uri", "http://evil.example/x", true),
      ("jwks_uri", "http://127.0.0.1:9404/x", false),
    ])
  func insecure(_ member: String, _ url: String, isOnThisMachine: Bool) async throws {
    let scene = Scene(shape: .openIDConnect) { $0.changeMetadata = { $0[member] = .string(url) } }
    if isOnThisMachine { try await scene.tenant.start() }
    let presenter = scene.script(.signIn(.alice))
    await expectError(ConnectorError.self, .invalidResponse) {
      try await scene.connector(presenter: presenter).signIn()
    }
    #expect(presenter.requests.isEmpty)
    if isOnThisMachine { await scene.tenant.stop() }
  }

  /// A generic issuer whose metadata adds a query to an endpoint.
  private func scene(adding query: String, to endpoint: String) -> Scene {
    Scene(shape: .openIDConnect) {
      $0.changeMetadata = { $0[endpoint] = .string(($0[endpoint]?.string ?? "") + "?" + query) }
    }
  }

  @Test(
    "An authorization endpoint keeps a query of its own, and with a parameter of the protocol it is refused before a page opens (RFC 6749 section 3.1)",
    arguments: [
      ("state=evil", false), ("a=b&redirect_uri=https%3A%2F%2Fevil.example", false), ("NONCE=x", false),
      ("code_challenge_method=plain", false), ("%63lient_id=x", false), ("scope", false), ("prompt=none", false),
      ("response%5Fmode=fragment", false), ("%20state=x", false), ("campaign=spring", true), ("p=x", true),
      ("tenant=a&b=", true),
    ])
  func presetParameter(_ query: String, isKept: Bool) async throws {
    let scene = scene(adding: query, to: "authorization_endpoint")
    let presenter = scene.script(.signIn(.alice))
    let connector = try scene.connector(presenter: presenter)
    if isKept {
      try await connector.signIn()
    } else {
      await expectError(ConnectorError.self, .invalidResponse, saying: "authorization_endpoint") {
        try await connector.signIn()
      }
    }
    #expect(presenter.requests.map { $0.url.query?.hasPrefix(query + "&") } == (isKept ? [true] : []))
  }

  @Test(
    "An endpoint of the sign-out with a parameter of the protocol is ignored",
    arguments: [
      ("state=evil", false), ("a=b&post_logout_redirect_uri=x", false), ("CLIENT_ID=x", false),
      ("id_token_hint", false), ("logout_hint=x", false), ("a=b", true), ("p=x", true),
    ])
  func presetParameterOfSignOut(_ query: String, isUsed: Bool) async throws {
    let stage = try await SignedInScene(scene(adding: query, to: "end_session_endpoint"), after: 0)
    if isUsed {
      #expect(try await stage.connector.signOut(endsBrowserSession: true) == .returned)
    } else {
      await expectError(ConnectorError.self, .unsupported) {
        try await stage.connector.signOut(endsBrowserSession: true)
      }
      #expect(stage.presenter.requests.count == 1)
    }
  }
}
