import B2CCore
import B2CHTTP
import B2COAuth
import B2CTestKit
import Foundation
import Testing

@Suite("Device authorization (RFC 8628)", .timeLimit(.minutes(10)))
struct DeviceFlowTests {
  @Test("The user approves elsewhere, and the poll brings the tokens")
  func approved() async throws {
    let fixture = Fixture(shape: .entra, holdsTime: true)
    let client = try fixture.client()
    let shown = Recorder<DeviceAuthorization>()
    let signIn = Task { try await client.signInWithDeviceCode { shown.record($0) } }
    await fixture.clock.waitForSleepers()
    await fixture.clock.advance(by: .seconds(5))
    await fixture.clock.waitForSleepers()
    let code = try #require(shown.values.first)
    #expect(fixture.tenant.approveDevice(userCode: code.userCode, email: LocalUser.alice.email))
    await fixture.clock.advance(by: .seconds(5))
    #expect(try await signIn.value.user.username == LocalUser.alice.email)
    #expect(try await client.accessToken().accountID.hasPrefix(LocalUser.alice.id))
  }

  @Test("A device authorization answer that lacks a code is named with its request")
  func unusableAnswer() async throws {
    let fixture = Fixture(shape: .entra)
    fixture.transport.intercept {
      $0.url.path.hasSuffix("/devicecode") ? TransportResponse(status: 200, body: Data("{}".utf8)) : nil
    }
    let error = try await #require(throws: OAuthError.self) {
      try await fixture.client().signInWithDeviceCode { _ in }
    }
    #expect(error.code == .invalidResponse)
    #expect(error.request?.method == "POST" && error.request?.url.hasSuffix("/devicecode") == true)
  }

  @Test("The user declines")
  func declined() async throws {
    let fixture = Fixture(shape: .entra, holdsTime: true)
    let shown = Recorder<DeviceAuthorization>()
    let client = try fixture.client()
    let signIn = Task { try await client.signInWithDeviceCode { shown.record($0) } }
    await fixture.clock.waitForSleepers()
    #expect(fixture.tenant.denyDevice(userCode: try #require(shown.values.first).userCode))
    await fixture.clock.advance(by: .seconds(5))
    await #expect(throws: OAuthError(.userCancelledInPage, "")) { try await signIn.value }
  }

  @Test("slow_down adds five seconds for good")
  func slowDown() async throws {
    let fixture = Fixture(shape: .entra, holdsTime: true)
    let client = try fixture.client()
    fixture.transport.answerTokens(
      400, #"{"error":"slow_down"}"#, grant: "urn:ietf:params:oauth:grant-type:device_code")
    let signIn = Task { try await client.signInWithDeviceCode { _ in } }
    await fixture.clock.waitForSleepers()
    await fixture.clock.advance(by: .seconds(5))
    await fixture.clock.waitForSleepers()
    let asked = fixture.transport.tokenForms.count
    await fixture.clock.advance(by: .seconds(9))
    #expect(fixture.transport.tokenForms.count == asked)
    await fixture.clock.advance(by: .seconds(1))
    await fixture.clock.waitForSleepers()
    #expect(fixture.transport.tokenForms.count == asked + 1)
    signIn.cancel()
    await #expect(throws: CancellationError.self) { try await signIn.value }
  }

  @Test("A refused device authorization is the service's error with its request")
  func refused() async throws {
    let fixture = Fixture(shape: .entra)
    fixture.transport.intercept {
      guard $0.url.path.hasSuffix("/devicecode") else { return nil }
      return TransportResponse(
        status: 400, body: Data(#"{"error":"invalid_client","error_description":"AADSTS700016: Unknown app."}"#.utf8))
    }
    let error = try await #require(throws: OAuthError.self) {
      try await fixture.client().signInWithDeviceCode { _ in Issue.record("There is no code to show.") }
    }
    #expect(error.code == .configuration && error.server?.code == "AADSTS700016")
    #expect(error.request?.url.hasSuffix("/devicecode") == true)
  }

  @Test("The poll goes on while the server is unavailable, and ends when it says that the code has expired")
  func unavailable() async throws {
    let fixture = Fixture(shape: .entra)
    let client = try fixture.client()
    let grant = "urn:ietf:params:oauth:grant-type:device_code"
    let answers = Locked([
      (503, ""), (400, #"{"error":"authorization_pending"}"#), (400, #"{"error":"expired_token"}"#),
    ])
    fixture.transport.intercept { request in
      guard request.isTokenRequest, request.form["grant_type"] == grant else { return nil }
      let (status, body) = answers.withLock { $0.isEmpty ? (500, "") : $0.removeFirst() }
      return TransportResponse(status: status, body: Data(body.utf8))
    }
    let error = try await #require(throws: OAuthError.self) { try await client.signInWithDeviceCode { _ in } }
    #expect(error.code == .timedOut && !error.isRetryable)
    #expect(answers.withLock { $0.isEmpty })
  }

  @Test("A token answer without an id_token signs no user in")
  func withoutIDToken() async throws {
    let fixture = Fixture(shape: .entra) { $0.changeTokenAnswer = { $0["id_token"] = nil } }
    let client = try fixture.client()
    let error = try await #require(throws: OAuthError.self) {
      try await client.signInWithDeviceCode { code in
        #expect(fixture.tenant.approveDevice(userCode: code.userCode, email: LocalUser.alice.email))
      }
    }
    #expect(error.code == .invalidResponse)
    #expect(try await fixture.cache.keys().isEmpty)
  }

  @Test("The code ends")
  func ended() async throws {
    let fixture = Fixture(shape: .entra, holdsTime: true)
    let client = try fixture.client()
    let signIn = Task { try await client.signInWithDeviceCode { _ in } }
    await fixture.clock.waitForSleepers()
    await fixture.clock.advance(by: .seconds(86_400))
    let error = try await #require(throws: OAuthError.self) { try await signIn.value }
    #expect(error.code == .timedOut && !error.isRetryable)
  }

  @Test("Azure AD B2C does not offer it")
  func unsupported() async throws {
    let client = try Fixture().client()
    await #expect(throws: OAuthError(.unsupported, "")) { try await client.signInWithDeviceCode { _ in } }
  }
}
