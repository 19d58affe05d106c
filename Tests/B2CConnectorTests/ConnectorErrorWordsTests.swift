import B2CConnector
import B2CTestKit
import Foundation
import TestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// An app at a generic OpenID Connect issuer is not told about things that only Azure AD B2C has.
@Suite("Words of the facade at a generic issuer", .hangLimit)
struct ConnectorErrorWordsTests {
  private static let foreign = ["policy", "policies", "user flow", "portal", "b2c", "aadsts", "client id itself"]

  private let tenant: LocalTenant
  private let tasks: LocalTaskServer
  private let connector: Connector

  init() throws {
    let clock = TestClock()
    tenant = LocalTenant(shape: .openIDConnect, now: { clock.date })
    tasks = LocalTaskServer(tenant: tenant)
    connector = try .local(tenant, tasks)
  }

  private func check(_ text: String) {
    for word in Self.foreign { #expect(!text.lowercased().contains(word), "\(text)") }
  }

  private func checkError(_ body: () async throws -> Void) async throws {
    let error = try await #require(throws: ConnectorError.self) { try await body() }
    check([error.description, error.message, error.recoverySuggestion ?? "", error.localizedDescription].joined())
    let faults = errorTextFaults(
      message: error.message, advice: error.recoverySuggestion, description: error.description, isPlainIssuer: true)
    #expect(faults.isEmpty, "\(error)")
  }

  static let challenges = [
    nil, #"Bearer realm="x""#, #"Bearer error="invalid_token""#, #"Bearer error="insufficient_scope", scope="admin""#,
    #"Bearer error="insufficient_claims", claims="e30=""#, "Basic",
  ]

  @Test("No error of a call to an API", arguments: [301, 400, 401, 403, 404, 405, 408, 409, 413, 418, 429, 500, 503])
  func api(_ status: Int) async throws {
    let item = TaskItem(itemName: "Buy milk", serverID: "1")
    try await connector.signIn()
    for challenge in Self.challenges {
      var answer = LocalResponse(status: status, body: Data(#"{"code":"X","message":"Y"}"#.utf8))
      answer.headers["WWW-Authenticate"] = challenge
      tasks.faults = [LocalFault(.respond(answer))]
      try await checkError { _ = try await connector.getTaskList() }
      try await checkError { try await connector.addTask(item) }
      try await checkError { try await connector.updateTask(item) }
      try await checkError { try await connector.deleteTask(item) }
      do {
        _ = try await connector.data(for: URLRequest(url: tasks.url))
      } catch let error as ConnectorError {
        check(error.description)
      }
    }
  }

  @Test("No error of the facade's own")
  func own() async throws {
    try await checkError { _ = try await connector.getTaskList() }
    try await checkError { _ = try await connector.accessToken() }
    let elsewhere = URLRequest(url: try url("https://evil.example/"))
    try await checkError { _ = try await connector.data(for: elsewhere) }
    let alone = try Connector.local(tenant)
    try await checkError { _ = try await alone.getTaskList() }
    try await checkError { try await connector.addTask(TaskItem(itemName: "")) }
    try await connector.signIn()
    try await checkError { try await connector.addTask(TaskItem(itemName: "")) }
    try await checkError { try await connector.deleteTask(TaskItem(itemName: "")) }
  }

  static let answers: [(LocalFaultTarget, Int, String)] = [
    (.metadata, 404, ""), (.metadata, 503, ""), (.metadata, 200, "<html>"), (.keys, 404, ""), (.keys, 503, ""),
    (.keys, 200, #"{"keys":[]}"#), (.keys, 200, "<html>"), (.authorize, 200, "<html>"), (.authorize, 400, "Sorry."),
    (.authorize, 400, "Unknown client."), (.authorize, 400, "Invalid parameter: redirect_uri"),
    (.authorize, 302, ""), (.token, 400, #"{"error":"invalid_client"}"#), (.token, 400, #"{"error":"invalid_grant"}"#),
    (.token, 500, ""),
  ]

  @Test("No finding of a diagnosis", arguments: answers.indices)
  func diagnosis(_ index: Int) async throws {
    let (target, status, body) = Self.answers[index]
    tenant.faults = [LocalFault(on: target, .respond(LocalResponse(status: status, body: Data(body.utf8))))]
    let statuses = [200, 302, 401, 404, 418, 500]
    tasks.faults = [LocalFault(.respond(LocalResponse(status: statuses[index % statuses.count])))]
    let diagnosis = try await connector.diagnose()
    check(diagnosis.description)
  }

  @Test("No finding about a presenter and scopes that are wrong")
  func settings() async throws {
    var settings = try tenant.settings(taskServer: tasks)
    settings.scopes = ["nothing"]
    for presenter in [
      ExternalBrowserPresenter { _ in }, LoopbackPresenter { _ in },
    ] as [any SignInPresenter] {
      let diagnosis = try await Connector.diagnose(
        settings: settings,
        environment: Connector.Environment(
          presenter: presenter, transport: LocalNetwork(tenant, tasks)))
      check(diagnosis.description)
    }
  }
}
