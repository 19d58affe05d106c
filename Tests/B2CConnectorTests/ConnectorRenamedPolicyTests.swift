import B2CConnector
import B2CTestKit
import Foundation
import TestSupport
import Testing

@Suite("A policy that is renamed in the tenant", .hangLimit)
struct ConnectorRenamedPolicyTests {
  struct Answer: Sendable, CustomTestStringConvertible {
    var status = 404
    var type = "text/plain; charset=utf-8"
    var body = ""
    var testDescription: String { "\(status) \(type) \(body)" }

    var fault: LocalFault {
      LocalFault(
        on: .token, .respond(LocalResponse(status: status, headers: ["Content-Type": type], body: Data(body.utf8))))
    }
  }

  static let answers = [
    Answer(body: "The resource you are looking for has been removed."), Answer(),
    Answer(type: "text/html", body: "<title>404</title><h1>Not Found</h1>"),
    Answer(type: "application/json", body: #"{"error":"not_found","message":"No such policy"}"#),
    Answer(type: "application/json", body: #"{"error":"invalid_request","error_description":"AADB2C99999: Text."}"#),
    Answer(status: 400, body: "Bad Request"),
  ]

  private let scene = Scene(policies: ["B2C_1_SUSI", "B2C_1_SUSI2"].map { LocalPolicy($0, .signUpOrSignIn) })

  private func connector(_ policy: String) throws -> Connector {
    try scene.connector(scene.settings { $0.policies = .init(others: [try Policy(policy)]) })
  }

  @Test("One sign-in with the policy that the settings name now repairs the session", arguments: answers)
  func renamed(_ answer: Answer) async throws {
    try await connector("B2C_1_SUSI").signIn()
    await scene.expire()
    let updated = try connector("B2C_1_SUSI2")
    scene.tenant.faults = [answer.fault]
    for _ in 0..<2 {
      let error = try await #require(throws: ConnectorError.self) { try await updated.accessToken() }
      #expect(error.code == .interactionRequired && error.needsInteraction && !error.isRetryable, "\(error)")
      #expect(error.message.contains("B2C_1_SUSI,") && error.recoverySuggestion?.contains("B2C_1_SUSI2") == true)
    }
    // A gateway may have sent this response, so nobody is signed out.
    #expect(try await updated.session.user?.hasSession == true)
    scene.tenant.faults = []
    try await updated.signIn()
    #expect(try await updated.users().map(\.policyID) == ["B2C_1_SUSI2"])
    _ = try await updated.accessToken(forceRefresh: true)
  }

  @Test(
    "If the settings still name a policy that is gone, no sign-in helps, and the session does not end",
    arguments: answers)
  func removed(_ answer: Answer) async throws {
    let connector = try connector("B2C_1_SUSI")
    try await connector.signIn()
    await scene.expire()
    scene.tenant.faults = [answer.fault]
    let error = try await #require(throws: ConnectorError.self) { try await connector.accessToken() }
    // A 400 without an OAuth error may be a firewall's.
    #expect(error.code == (answer.status == 404 ? .configuration : .invalidResponse), "\(error)")
    #expect(!error.needsInteraction && error.message.contains("B2C_1_SUSI") == (answer.status == 404))
    #expect(try await connector.session.user?.hasSession == true)
  }
}
