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

@Suite("Device authorization (RFC 8628)", .hangLimit)
struct DeviceCodeTests {
  private static let grant = "urn:ietf:params:oauth:grant-type:device_code"
  private static let code = "0f9d7a34-1111-4222-8333-944455556666"
  private struct Seen: Error {}

  /// What becomes of the code.
  enum End: CaseIterable { case approved, declined, expired, cancelled }

  @Test(
    "The user finishes a code on another device, declines it, lets it expire or gives up here", arguments: End.allCases)
  func end(_ end: End) async throws {
    let scene = Scene(shape: .entra, holdsTime: true)
    let connector = try scene.connector()
    let shown = Recorder<DeviceAuthorization>()
    let signIn = Task { try await connector.signInWithDeviceCode { shown.record($0) } }
    await scene.clock.waitForSleepers()
    await scene.clock.advance(by: .seconds(5))
    await scene.clock.waitForSleepers()
    let code = try #require(shown.values.first).userCode
    switch end {
    case .approved:
      #expect(scene.tenant.approveDevice(userCode: code, email: LocalUser.alice.email))
      await scene.clock.advance(by: .seconds(5))
      #expect(try await signIn.value.user.username == LocalUser.alice.email)
      #expect(try await connector.accessToken().userID.hasPrefix(LocalUser.alice.id))
    case .declined:
      #expect(scene.tenant.denyDevice(userCode: code))
      await scene.clock.advance(by: .seconds(5))
      await expectError(ConnectorError.self, .userCancelledInPage) { try await signIn.value }
    case .expired:
      await scene.clock.advance(by: .seconds(86_400))
      let error = try await #require(throws: ConnectorError.self) { try await signIn.value }
      #expect(error.code == .timedOut && !error.isRetryable)
    case .cancelled:
      signIn.cancel()
      await #expect(throws: CancellationError.self) { try await signIn.value }
    }
  }

  @Test("Azure AD B2C offers no device codes")
  func unsupported() async throws {
    let connector = try Scene().connector()
    await expectError(ConnectorError.self, .unsupported) { try await connector.signInWithDeviceCode { _ in } }
  }

  @Test(
    "At External ID the published endpoint is used if the authority's host has it",
    arguments: [nil, "https://login.other.example/devicecode"])
  func externalID(_ published: String?) async throws {
    let scene = Scene(shape: .ciam)
    if let published {
      scene.tenant.behavior.changeMetadata = { $0["device_authorization_endpoint"] = .string(published) }
    }
    let error = try await #require(throws: ConnectorError.self) {
      try await scene.connector().signInWithDeviceCode { _ in throw Seen() }
    }
    #expect(published == nil ? error.underlying is Seen : error.code == .unsupported)
    #expect(scene.transport.requests.allSatisfy { $0.url?.host != "login.other.example" })
  }

  /// A tenant that answers the request for a device code with a status and a text.
  private func scene(answering status: Int = 200, _ body: String) -> Scene {
    let scene = Scene(shape: .entra)
    scene.transport.intercept {
      $0.path.hasSuffix("/devicecode") ? LocalResponse(status: status, body: Data(body.utf8)) : nil
    }
    return scene
  }

  /// A tenant that answers it with these fields in place of the usual ones.
  private func scene(answering fields: [String: JSONValue]) -> Scene {
    let all = fields.merging([
      "device_code": .string(Self.code), "user_code": "ABCD-EFGH", "verification_uri": "https://login.example/device",
      "expires_in": 900, "interval": 5,
    ]) { first, _ in first }
    return scene(answering: 200, JSONValue.object(all).description)
  }

  /// Asks a tenant for a code, which it must not give.
  private func refusal(_ scene: Scene) async throws -> ConnectorError {
    try await #require(throws: ConnectorError.self) {
      try await scene.connector().signInWithDeviceCode { _ in Issue.record("There is no code to show.") }
    }
  }

  @Test("A device authorization without a code, or that is refused, is an error with its request")
  func unusableAnswer() async throws {
    var error = try await refusal(scene(answering: 200, "{}"))
    #expect(error.code == .invalidResponse)
    #expect(error.method == "POST" && error.url?.hasSuffix("/devicecode") == true)
    let body = #"{"error":"invalid_client","error_description":"AADSTS700016: Unknown app."}"#
    error = try await refusal(scene(answering: 400, body))
    #expect(error.code == .configuration && error.serverCode == "AADSTS700016")
    #expect(error.url?.hasSuffix("/devicecode") == true)
  }

  @Test(
    "An address that is not https, or has user-info, is not shown",
    arguments: [
      "http://login.example/device", "https://microsoft.com@evil.example/", "https://a:b@evil.example/",
      "ftp://a.example/", "login.example", "http://127.0.0.2.example/",
    ], ["verification_uri", "verification_url"])
  func address(_ address: String, _ name: String) async throws {
    let fields: [String: JSONValue] = ["verification_uri": .null].merging([name: .string(address)]) { $1 }
    #expect(try await refusal(scene(answering: fields)).code == .invalidResponse)
  }

  @Test("A complete address with user-info is left out", arguments: ["login.example", "a@evil.example"])
  func completeAddress(_ host: String) async throws {
    let text = "https://\(host)/?c=1"
    let shown = Recorder<DeviceAuthorization>()
    await #expect(throws: (any Error).self) {
      try await scene(answering: ["verification_uri_complete": .string(text)]).connector().signInWithDeviceCode {
        shown.record($0)
        throw Seen()
      }
    }
    let complete = try #require(shown.values.first).completeVerificationURL
    #expect(complete?.absoluteString == (host.contains("@") ? nil : text))
  }

  @Test(
    "A refused poll ends the sign-in: an access_denied is the user's whatever its words, and no error shows the code",
    arguments: [
      (#"{"error":"access_denied","error_description":"Denied for \#(code)."}"#, ErrorCode.userCancelledInPage),
      (#"{"error":"access_denied","error_description":"Forbidden"}"#, .userCancelledInPage),
      (#"{"error":"expired_token"}"#, .timedOut),
    ], [LocalTenant.Shape.entra, .openIDConnect])
  func refusedPoll(_ answer: (body: String, code: ErrorCode), _ shape: LocalTenant.Shape) async throws {
    let scene = shape == .entra ? scene(answering: [:]) : Scene(shape: shape)
    scene.transport.answerTokens(400, answer.body, grant: Self.grant)
    let error = try await #require(throws: ConnectorError.self) {
      try await scene.connector().signInWithDeviceCode { _ in }
    }
    #expect(error.code == answer.code && !error.isRetryable)
    if shape == .entra, answer.body.contains(Self.code) { #expect(error.serverDescription == "Denied for [redacted].") }
  }

  /// Signs in by a code that Alice approves immediately.
  private func signIn(_ scene: Scene, _ connector: Connector) async throws -> SignInResult {
    try await connector.signInWithDeviceCode { code in
      #expect(scene.tenant.approveDevice(userCode: code.userCode, email: LocalUser.alice.email))
    }
  }

  @Test("Without an id_token, which RFC 8628 does not promise, userinfo tells who it is", arguments: [true, false])
  func userInfo(_ grantsOpenID: Bool) async throws {
    let scene = Scene(shape: .openIDConnect) {
      if grantsOpenID { $0.changeTokenAnswer = { $0["id_token"] = nil } }
      $0.grantedScopes = { $0.filter { grantsOpenID || $0 != "openid" } }
      $0.changeUserInfo = { $0["locale"] = "de" }
    }
    let connector = try scene.connector()
    let result = try await signIn(scene, connector)
    #expect(result.user.id == "\(scene.tenant.issuer)#\(LocalUser.alice.id)" && result.user.hasSession)
    #expect(result.user.claims.keys.sorted() == ["email", "locale", "name", "sub"] && result.idToken == nil)
    #expect(try await connector.user(id: result.user.id) == result.user)
    await scene.clock.advance(by: .seconds(4_000))
    #expect(try await connector.accessToken().userID == result.user.id)
    #expect(try await connector.fetchUserInfo() == result.user)
  }

  @Test(
    "Without an id_token, and without userinfo that tells who it is, no user is signed in",
    arguments: [
      (LocalTenant.Shape.entra, "", 200, #"{"sub":"1"}"#, ErrorCode.invalidResponse),
      (.openIDConnect, "userinfo_endpoint", 200, #"{"sub":"1"}"#, .invalidResponse),
      (.openIDConnect, "access_token", 200, #"{"sub":"1"}"#, .invalidResponse),
      (.openIDConnect, "", 200, "{}", .invalidResponse), (.openIDConnect, "", 200, #"{"sub":""}"#, .invalidResponse),
      (.openIDConnect, "", 401, "", .unauthorized), (.openIDConnect, "", 503, "", .serviceUnavailable),
    ])
  func withoutIDToken(
    _ shape: LocalTenant.Shape, _ missing: String, _ status: Int, _ body: String, _ code: ErrorCode
  ) async throws {
    let scene = Scene(shape: shape) {
      $0.changeMetadata = { $0[missing] = nil }
      $0.changeTokenAnswer = { for name in ["id_token", missing] { $0[name] = nil } }
    }
    scene.transport.intercept {
      $0.path.hasSuffix("/userinfo") ? LocalResponse(status: status, body: Data(body.utf8)) : nil
    }
    let error = try await #require(throws: ConnectorError.self) { try await signIn(scene, scene.connector()) }
    #expect(error.code == code && error.method == (missing.isEmpty && shape == .openIDConnect ? "GET" : "POST"))
    #expect(try await scene.cache.keys().isEmpty)
  }
}
