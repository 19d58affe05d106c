import B2CConnector
import B2CTestKit
import Foundation
import TestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// What the transport says to fix reaches the app.
@Suite("The transport's advice", .hangLimit)
struct ConnectorErrorSuggestionTests {
  private static let advice = "needs Outgoing Connections (Client)"

  @Test("It is in the errors of sign-in, requests and task calls, and in the diagnosis")
  func advice() async throws {
    let scene = Scene()
    let wire = Wire(scene.network)
    let connector = try scene.connector(transport: wire, waitingOn: TestClock()) { $0.retry = .none }
    try await connector.signIn()
    wire.refusedHost.set(scene.tasks.url.host)
    let fromTasks = try await #require(throws: ConnectorError.self) { _ = try await connector.getTaskList() }
    let fromData = try await #require(throws: ConnectorError.self) {
      _ = try await connector.data(for: URLRequest(url: scene.tasks.url))
    }
    wire.refusedHost.set(scene.tenant.origin.host)
    let diagnosis = try await connector.diagnose()
    let fromSignIn = try await #require(throws: ConnectorError.self) { try await connector.signIn() }
    for error in [fromTasks, fromData, fromSignIn] {
      #expect(error.code == .network)
      #expect(error.recoverySuggestion?.contains(Self.advice) == true, "\(error)")
    }
    let metadata = try #require(diagnosis.findings.first { $0.check == "metadata of B2C_1_SignIn" })
    #expect(metadata.recoverySuggestion?.contains(Self.advice) == true, "\(metadata)")
  }

  /// A network that refuses one host, as the App Sandbox does.
  private struct Wire: HTTPTransport {
    let refusedHost = Host()
    let inner: any HTTPTransport

    init(_ inner: any HTTPTransport) { self.inner = inner }

    func send(_ request: URLRequest, limits: TransportLimits) async throws -> (Data, HTTPURLResponse) {
      guard request.url?.host != refusedHost.name else {
        throw URLError(.cannotFindHost)
      }
      return try await inner.send(request, limits: limits)
    }
  }

  /// The host that is refused now.
  private final class Host: Sendable {
    private let names = Collected<String?>()
    var name: String? { names.all.last ?? nil }
    func set(_ name: String?) { names.add(name) }
  }
}
