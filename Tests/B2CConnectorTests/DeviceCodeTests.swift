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
  @Test("The user approves elsewhere, and the poll brings the tokens")
  func approved() async throws {
    let scene = Scene(shape: .entra, holdsTime: true)
    let connector = try scene.connector()
    let shown = Recorder<DeviceAuthorization>()
    let signIn = Task { try await connector.signInWithDeviceCode { shown.record($0) } }
    await scene.clock.waitForSleepers()
    await scene.clock.advance(by: .seconds(5))
    await scene.clock.waitForSleepers()
    let code = try #require(shown.values.first)
    #expect(scene.tenant.approveDevice(userCode: code.userCode, email: LocalUser.alice.email))
    await scene.clock.advance(by: .seconds(5))
    #expect(try await signIn.value.user.username == LocalUser.alice.email)
    #expect(try await connector.accessToken().userID.hasPrefix(LocalUser.alice.id))
  }

  @Test(
    "At External ID the published endpoint is used if the authority's host has it",
    arguments: [nil, "https://login.other.example/devicecode"])
  func externalID(_ published: String?) async throws {
    struct Seen: Error {}
    let scene = Scene(shape: .ciam)
    if let published {
      scene.tenant.behavior.changeMetadata = { $0["device_authorization_endpoint"] = .string(published) }
    }
    let connector = try scene.connector()
    if published == nil {
      let error = await #expect(throws: ConnectorError.self) {
        try await connector.signInWithDeviceCode { _ in throw Seen() }
      }
      #expect(error?.underlying is Seen)
    } else {
      await expectError(ConnectorError.self, .unsupported) {
        try await connector.signInWithDeviceCode { _ in throw Seen() }
      }
    }
    #expect(scene.transport.requests.allSatisfy { $0.url?.host != "login.other.example" })
  }

  @Test("A device authorization answer that lacks a code is named with its request")
  func unusableAnswer() async throws {
    let scene = Scene(shape: .entra)
    scene.transport.intercept {
      $0.path.hasSuffix("/devicecode") ? LocalResponse(status: 200, body: Data("{}".utf8)) : nil
    }
    let error = try await #require(throws: ConnectorError.self) {
      try await scene.connector().signInWithDeviceCode { _ in }
    }
    #expect(error.code == .invalidResponse)
    #expect(error.method == "POST" && error.url?.hasSuffix("/devicecode") == true)
  }

  /// Answers the request for a device code with these fields instead.
  private func answer(_ scene: Scene, _ fields: [String: JSONValue]) {
    let all = fields.merging([
      "device_code": "0f9d7a34-1111-4222-8333-944455556666", "user_code": "ABCD-EFGH",
      "verification_uri": "https://login.example/device", "expires_in": 900, "interval": 5,
    ]) { first, _ in first }
    scene.transport.intercept {
      guard $0.path.hasSuffix("/devicecode") else { return nil }
      return LocalResponse(status: 200, body: Data(JSONValue.object(all).description.utf8))
    }
  }

  @Test(
    "An address that is not https, or has user-info, is not shown",
    arguments: [
      "http://login.example/device", "https://microsoft.com@evil.example/", "https://a:b@evil.example/",
      "ftp://a.example/", "login.example", "http://127.0.0.2.example/",
    ])
  func address(_ address: String) async throws {
    for name in ["verification_uri", "verification_url"] {
      let scene = Scene(shape: .entra)
      var fields: [String: JSONValue] = ["verification_uri": .null]
      fields[name] = .string(address)
      answer(scene, fields)
      let error = try await #require(throws: ConnectorError.self) {
        try await scene.connector().signInWithDeviceCode { _ in Issue.record("There is no address to show.") }
      }
      #expect(error.code == .invalidResponse)
    }
  }

  private func shown(_ fields: [String: JSONValue]) async throws -> DeviceAuthorization {
    struct Seen: Error {}
    let scene = Scene(shape: .entra)
    answer(scene, fields)
    let shown = Recorder<DeviceAuthorization>()
    await #expect(throws: (any Error).self) {
      try await scene.connector().signInWithDeviceCode {
        shown.record($0)
        throw Seen()
      }
    }
    return try #require(shown.values.first)
  }

  @Test("A complete address with user-info is left out")
  func completeAddress() async throws {
    #expect(
      try await shown(["verification_uri_complete": "https://a@evil.example/?c=1"]).completeVerificationURL == nil)
    let url = try await shown(["verification_uri_complete": "https://login.example/?c=1"]).completeVerificationURL
    #expect(url?.absoluteString == "https://login.example/?c=1")
  }

  @Test("A device code that the server repeats in an error is not shown, whatever it looks like")
  func echoedError() async throws {
    let scene = Scene(shape: .entra)
    let code = "0f9d7a34-1111-4222-8333-944455556666"
    answer(scene, [:])
    let connector = try scene.connector()
    scene.transport.answerTokens(
      400, #"{"error":"access_denied","error_description":"Denied for \#(code)."}"#,
      grant: "urn:ietf:params:oauth:grant-type:device_code")
    let error = try await #require(throws: ConnectorError.self) { try await connector.signInWithDeviceCode { _ in } }
    #expect(error.serverDescription == "Denied for [redacted].")
  }

  @Test("The user declines")
  func declined() async throws {
    let scene = Scene(shape: .entra, holdsTime: true)
    let shown = Recorder<DeviceAuthorization>()
    let connector = try scene.connector()
    let signIn = Task { try await connector.signInWithDeviceCode { shown.record($0) } }
    await scene.clock.waitForSleepers()
    #expect(scene.tenant.denyDevice(userCode: try #require(shown.values.first).userCode))
    await scene.clock.advance(by: .seconds(5))
    await expectError(ConnectorError.self, .userCancelledInPage) { try await signIn.value }
  }

  @Test("A refusal is the user's, whatever words come with it (RFC 8628 section 3.5)")
  func declinedWithWords() async throws {
    let scene = Scene(shape: .openIDConnect)
    let connector = try scene.connector()
    scene.transport.answerTokens(
      400, #"{"error":"access_denied","error_description":"Forbidden"}"#,
      grant: "urn:ietf:params:oauth:grant-type:device_code")
    await expectError(ConnectorError.self, .userCancelledInPage) { try await connector.signInWithDeviceCode { _ in } }
  }

  @Test("A cancelled sign-in asks no more")
  func cancelled() async throws {
    let scene = Scene(shape: .entra, holdsTime: true)
    let connector = try scene.connector()
    let signIn = Task { try await connector.signInWithDeviceCode { _ in } }
    await scene.clock.waitForSleepers()
    signIn.cancel()
    await #expect(throws: CancellationError.self) { try await signIn.value }
  }

  @Test("A refused device authorization is the service's error with its request")
  func refused() async throws {
    let scene = Scene(shape: .entra)
    scene.transport.intercept {
      guard $0.path.hasSuffix("/devicecode") else { return nil }
      return LocalResponse(
        status: 400, body: Data(#"{"error":"invalid_client","error_description":"AADSTS700016: Unknown app."}"#.utf8))
    }
    let error = try await #require(throws: ConnectorError.self) {
      try await scene.connector().signInWithDeviceCode { _ in Issue.record("There is no code to show.") }
    }
    #expect(error.code == .configuration && error.serverCode == "AADSTS700016")
    #expect(error.url?.hasSuffix("/devicecode") == true)
  }

  @Test("A code that the server calls expired ends the sign-in, which is not tried again")
  func expired() async throws {
    let scene = Scene(shape: .entra)
    let connector = try scene.connector()
    scene.transport.answerTokens(
      400, #"{"error":"expired_token"}"#, grant: "urn:ietf:params:oauth:grant-type:device_code")
    let error = try await #require(throws: ConnectorError.self) { try await connector.signInWithDeviceCode { _ in } }
    #expect(error.code == .timedOut && !error.isRetryable)
  }

  /// Signs in by a code that Alice approves at once.
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

  @Test("The code ends")
  func ended() async throws {
    let scene = Scene(shape: .entra, holdsTime: true)
    let connector = try scene.connector()
    let signIn = Task { try await connector.signInWithDeviceCode { _ in } }
    await scene.clock.waitForSleepers()
    await scene.clock.advance(by: .seconds(86_400))
    let error = try await #require(throws: ConnectorError.self) { try await signIn.value }
    #expect(error.code == .timedOut && !error.isRetryable)
  }

  @Test("Azure AD B2C does not offer it")
  func unsupported() async throws {
    let connector = try Scene().connector()
    await expectError(ConnectorError.self, .unsupported) { try await connector.signInWithDeviceCode { _ in } }
  }
}
