import B2CConnector
import B2CCore
import B2CTestKit
import Foundation
import TestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("The correlation id of an error is one that a server has seen", .hangLimit)
struct ErrorCorrelationTests {
  static let id = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))

  struct Failure: Sendable, CustomTestStringConvertible {
    let testDescription: String
    var shape = LocalTenant.Shape.b2c
    /// Whether a request with the id reached a server.
    var isSent = false
    var scopes: [String]?
    var prepare: @Sendable (Scene) -> Void = { _ in }
    var callback: @Sendable (URL) throws -> URL = { $0 }
    var call: @Sendable (Connector) async throws -> Void = { try await $0.signIn() }
  }

  static let failures: [Failure] = [
    Failure(
      testDescription: "callback at another place", isSent: true,
      callback: { try $0.replacing("/callback", "/other") }),
    Failure(
      testDescription: "doubled parameter", isSent: true, callback: { try $0.replacing("code=", "code=x&code=") }),
    Failure(testDescription: "another state", isSent: true, callback: { try $0.replacing("state=", "state=x") }),
    Failure(
      testDescription: "closed browser", isSent: true,
      callback: { _ in throw ConnectorError(own: .userClosedBrowser, "Closed.") }),
    Failure(
      testDescription: "forged id_token", isSent: true, prepare: { $0.tenant.behavior.signIDTokens(.damaged) }),
    Failure(
      testDescription: "no id_token", isSent: true,
      prepare: { $0.tenant.behavior.changeTokenAnswer = { $0["id_token"] = nil } }),
    Failure(
      testDescription: "a refused code", isSent: true, prepare: { $0.transport.answerTokens(503, "") }),
    Failure(
      testDescription: "a lost answer", isSent: true,
      prepare: {
        $0.transport.intercept { request in
          guard request.isTokenRequest else { return nil }
          throw URLError(.networkConnectionLost)
        }
      }),
    // Generic issuers are not sent the id.
    Failure(
      testDescription: "forged id_token of a generic issuer", shape: .openIDConnect,
      prepare: { $0.tenant.behavior.signIDTokens(.damaged) }),
    Failure(
      testDescription: "another state at a generic issuer", shape: .openIDConnect,
      callback: { try $0.replacing("state=", "state=x") }),
    Failure(
      testDescription: "no metadata",
      prepare: { $0.tenant.faults = [LocalFault(on: .metadata, .respond(LocalResponse(status: 404)))] }),
    Failure(
      testDescription: "foreign metadata", shape: .openIDConnect,
      prepare: { $0.tenant.behavior.changeMetadata = { $0["issuer"] = "https://evil.example/v2.0/" } }),
    Failure(
      testDescription: "offline",
      prepare: { $0.transport.intercept { _ in throw URLError(.cannotConnectToHost) } }),
    Failure(
      testDescription: "no browser", callback: { _ in throw ConnectorError(own: .presentationFailed, "No browser.") }),
    Failure(
      testDescription: "reserved parameter",
      call: { try await $0.signIn(options: SignInOptions(extraParameters: ["state": "x"])) }),
    Failure(testDescription: "nobody signed in", call: { _ = try await $0.accessToken() }),
    Failure(testDescription: "no API scope", scopes: ["openid"], call: { _ = try await $0.accessToken() }),
    Failure(testDescription: "no device codes", call: { try await $0.signInWithDeviceCode { _ in } }),
    Failure(
      testDescription: "no sign-out page", shape: .openIDConnect,
      prepare: { $0.tenant.behavior.changeMetadata = { $0["end_session_endpoint"] = nil } },
      call: { try await $0.signOut(endsBrowserSession: true) }),
  ]

  @Test("Whatever fails", arguments: failures)
  func echoed(_ failure: Failure) async throws {
    let scene = Scene(shape: failure.shape)
    failure.prepare(scene)
    let presenter = CallbackPresenter(scene.script(.signIn(.alice)), failure.callback)
    let connector = try scene.connector(
      scene.settings {
        $0.correlationID = Self.id
        $0.scopes = failure.scopes ?? $0.scopes
      }, presenter: presenter
    ) { $0.retry = .none }
    let error = try await #require(throws: ConnectorError.self) { try await failure.call(connector) }
    #expect((error.correlationID == Self.id) == failure.isSent)
    #expect("\(error)".contains(Self.id.uuidString.lowercased()) == failure.isSent)
  }
}
