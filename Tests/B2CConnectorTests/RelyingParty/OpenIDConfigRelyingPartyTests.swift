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

/// The modules of `oidcc-client-config-certification-test-plan`.
@Suite("OpenID Connect relying party: Config RP", .descriptors(), .hangLimit)
struct OpenIDConfigRelyingPartyTests {
  typealias Redirect = RelyingParty.Redirect

  @Test("oidcc-client-test-discovery-openid-config", arguments: Redirect.allCases)
  func discovery(_ redirect: Redirect) async throws {
    let party = try RelyingParty(redirect)
    try await party.connector.signIn()
    let document = try #require(party.requests("/.well-known/openid-configuration").first?.response?.body)
    let fields = try JSONReader.object(document)
    // Everything else goes where the document says.
    let used = party.tenant.requests.dropFirst().map {
      ($0.request.url?.absoluteString ?? "").prefix { $0 != "?" }
    }
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
    // With keys of somebody else the very same sign-in fails, so they are what the signature is checked with.
    let other = try TestSigningKey()
    let id = try #require(try party.lastIDTokenHeader()["kid"])
    let foreign = try RelyingParty(redirect) {
      $0.changeKeys = { $0 = [other.jwk.merging(["kid": id]) { $1 }] }
    }
    #expect(try await foreign.refusedSignIn().contains("its signature is not"))
  }

  @Test("oidcc-client-test-discovery-issuer-mismatch", arguments: Redirect.allCases)
  func issuerMismatch(_ redirect: Redirect) async throws {
    let party = try RelyingParty(redirect) { $0.changeMetadata = { $0["issuer"] = "https://evil.example" } }
    await expectError(ConnectorError.self, .invalidResponse, saying: "issuer") { try await party.connector.signIn() }
    #expect(party.browser.opened.isEmpty && party.requests("/authorize").isEmpty)
  }

  @Test("oidcc-client-test-idtoken-sig-none", arguments: Redirect.allCases)
  func unsigned(_ redirect: Redirect) async throws {
    let party = try RelyingParty(redirect) {
      $0.signIDTokens(.unsigned)
      $0.changeMetadata = { $0["id_token_signing_alg_values_supported"] = ["none"] }
    }
    #expect(try await party.refusedSignIn().contains(" alg"))
  }

  @Test("oidcc-client-test-signing-key-rotation-just-before-signing", arguments: Redirect.allCases)
  func rotationBeforeSigning(_ redirect: Redirect) async throws {
    let party = try RelyingParty(redirect)
    // The keys are known by the first sign-in.
    try await party.connector.signIn()
    let old = try party.lastIDTokenHeader()["kid"]
    let (tenant, new) = (party.tenant, try TestSigningKey())
    party.scene.transport.intercept { request in
      if request.isTokenRequest { tenant.rotateKeys(to: new, keepingOld: false) }
      return nil
    }
    try await party.connector.signIn(options: SignInOptions(prompt: .login))
    #expect(try party.lastIDTokenHeader()["kid"] != old)
    #expect(tenant.counters.keysRequests == 2)
  }

  @Test("oidcc-client-test-signing-key-rotation", arguments: Redirect.allCases)
  func rotation(_ redirect: Redirect) async throws {
    let party = try RelyingParty(redirect)
    try await party.connector.signIn()
    let old = try party.lastIDTokenHeader()["kid"]
    party.tenant.rotateKeys(to: try TestSigningKey())
    try await party.connector.signIn(options: SignInOptions(prompt: .login))
    #expect(try party.lastIDTokenHeader()["kid"] != old)
    #expect(party.tenant.counters.keysRequests == 2)
  }
}
