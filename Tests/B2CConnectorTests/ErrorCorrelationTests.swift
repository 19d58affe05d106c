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
  private static let id = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))

  struct Failure: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let shape: LocalTenant.Shape
    var callback: @Sendable (URL) throws -> URL = { $0 }
    let call: @Sendable (Connector, Scene) async throws -> Void
    /// Whether a request with the id reached a server.
    let isSent: Bool

    /// A call that fails, by default a sign-in after something was done to the scene.
    init(
      _ what: String, at shape: LocalTenant.Shape = .b2c, isSent: Bool = false,
      prepare: @escaping @Sendable (Scene) -> Void = { _ in },
      call: @escaping @Sendable (Connector) async throws -> Void = { try await $0.signIn() }
    ) {
      (testDescription, self.shape, self.isSent) = (what, shape, isSent)
      self.call = {
        prepare($1)
        try await call($0)
      }
    }

    /// A sign-in whose callback is changed.
    init(
      _ what: String, at shape: LocalTenant.Shape = .b2c, isSent: Bool = true,
      callback: @escaping @Sendable (URL) throws -> URL
    ) {
      self.init(what, at: shape, isSent: isSent)
      self.callback = callback
    }
  }

  static let failures: [Failure] = [
    Failure("callback at another place", callback: { try $0.replacing("/callback", "/other") }),
    Failure("doubled parameter", callback: { try $0.replacing("code=", "code=x&code=") }),
    Failure("another state", callback: { try $0.replacing("state=", "state=x") }),
    Failure("closed browser", callback: { _ in throw ConnectorError(own: .userClosedBrowser, "Closed.") }),
    Failure("forged id_token", isSent: true, prepare: { $0.tenant.behavior.signIDTokens(.damaged) }),
    Failure("no id_token", isSent: true, prepare: { $0.tenant.behavior.changeTokenAnswer = { $0["id_token"] = nil } }),
    Failure("a refused code", isSent: true, prepare: { $0.transport.answerTokens(503, "") }),
    Failure("a lost answer", isSent: true, prepare: { $0.tenant.faults = [LocalFault(on: .token, .reset)] }),
    // Generic issuers are not sent the id.
    Failure("forged id_token", at: .openIDConnect, prepare: { $0.tenant.behavior.signIDTokens(.damaged) }),
    Failure("another state", at: .openIDConnect, isSent: false, callback: { try $0.replacing("state=", "state=x") }),
    Failure(
      "no metadata", prepare: { $0.tenant.faults = [LocalFault(on: .metadata, .respond(LocalResponse(status: 404)))] }),
    Failure(
      "foreign metadata", at: .openIDConnect,
      prepare: { $0.tenant.behavior.changeMetadata = { $0["issuer"] = "https://evil.example/v2.0/" } }),
    Failure("offline", prepare: { $0.transport.intercept { _ in throw URLError(.cannotConnectToHost) } }),
    Failure("no browser", isSent: false, callback: { _ in throw ConnectorError(own: .presentationFailed, "No browser.") }),
    Failure(
      "reserved parameter", call: { try await $0.signIn(options: SignInOptions(extraParameters: ["state": "x"])) }),
    Failure("nobody signed in", call: { _ = try await $0.accessToken() }),
    Failure("no device codes", call: { try await $0.signInWithDeviceCode { _ in } }),
    Failure(
      "no sign-out page", at: .openIDConnect,
      prepare: { $0.tenant.behavior.changeMetadata = { $0["end_session_endpoint"] = nil } },
      call: { try await $0.signOut(endsBrowserSession: true) }),
  ]

  @Test("Whatever fails", arguments: failures)
  func echoed(_ failure: Failure) async throws {
    let scene = Scene(shape: failure.shape)
    let connector = try scene.connector(
      scene.settings { $0.correlationID = Self.id },
      presenter: CallbackPresenter(scene.script(.signIn(.alice)), failure.callback)
    ) { $0.retry = .none }
    let error = try await #require(throws: ConnectorError.self) { try await failure.call(connector, scene) }
    #expect((error.correlationID == Self.id) == failure.isSent)
    #expect("\(error)".contains(Self.id.uuidString.lowercased()) == failure.isSent)
  }
}
