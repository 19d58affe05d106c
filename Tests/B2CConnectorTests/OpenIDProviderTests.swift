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

  @Test(
    "An endpoint keeps a query of its own, and with a parameter of the protocol it is not used (RFC 6749 section 3.1)",
    arguments: [
      ("authorization", "state=evil", false),
      ("authorization", "a=b&redirect_uri=https%3A%2F%2Fevil.example", false), ("authorization", "NONCE=x", false),
      ("authorization", "code_challenge_method=plain", false), ("authorization", "%63lient_id=x", false),
      ("authorization", "scope", false), ("authorization", "prompt=none", false),
      ("authorization", "response%5Fmode=fragment", false), ("authorization", "%20state=x", false),
      ("authorization", "campaign=spring", true), ("authorization", "p=x", true),
      ("authorization", "tenant=a&b=", true),
      ("end_session", "state=evil", false), ("end_session", "a=b&post_logout_redirect_uri=x", false),
      ("end_session", "CLIENT_ID=x", false), ("end_session", "id_token_hint", false),
      ("end_session", "logout_hint=x", false), ("end_session", "a=b", true), ("end_session", "p=x", true),
    ])
  func presetParameter(_ endpoint: String, _ query: String, isKept: Bool) async throws {
    let name = endpoint + "_endpoint"
    let scene = Scene(shape: .openIDConnect) {
      $0.changeMetadata = { $0[name] = .string(($0[name]?.string ?? "") + "?" + query) }
    }
    let presenter = scene.script(.signIn(.alice))
    let connector = try scene.connector(presenter: presenter)
    let isSignOut = endpoint == "end_session"
    if isSignOut { try await connector.signIn() }
    let showsPage = {
      if isSignOut { _ = try await connector.signOut(endsBrowserSession: true) } else { try await connector.signIn() }
    }
    if isKept {
      try await showsPage()
      #expect(presenter.requests.last?.url.query?.hasPrefix(query + "&") == true)
    } else {
      await expectError(ConnectorError.self, isSignOut ? .unsupported : .invalidResponse) { try await showsPage() }
    }
    #expect(presenter.requests.count == (isSignOut ? 1 : 0) + (isKept ? 1 : 0))
  }
}
