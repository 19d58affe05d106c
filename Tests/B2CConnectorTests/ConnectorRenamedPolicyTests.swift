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

    var response: LocalResponse {
      LocalResponse(status: status, headers: ["Content-Type": type], body: Data(body.utf8))
    }
  }

  static let answers = [
    Answer(body: "The resource you are looking for has been removed."), Answer(),
    Answer(type: "text/html", body: "<title>404</title><h1>Not Found</h1>"),
    Answer(type: "application/json", body: #"{"error":"not_found","message":"No such policy"}"#),
    Answer(type: "application/json", body: #"{"error":"invalid_request","error_description":"AADB2C99999: Text."}"#),
    Answer(status: 400, body: "Bad Request"),
  ]

  private func scene() -> Scene {
    Scene(policies: [LocalPolicy("B2C_1_SUSI", .signUpOrSignIn), LocalPolicy("B2C_1_SUSI2", .signUpOrSignIn)])
  }

  private func settings(_ scene: Scene, _ policy: String) throws -> ConnectorSettings {
    var settings = try scene.settings()
    settings.policies = .init(others: [try Policy(policy)])
    return settings
  }

  @Test("One sign-in by the policy that the settings name now repairs the session", arguments: answers)
  func renamed(_ answer: Answer) async throws {
    let scene = scene()
    let cache = InMemoryTokenCache()
    try await scene.connector(settings(scene, "B2C_1_SUSI"), cache: cache).doPolicy(.signIn)
    await scene.clock.advance(by: .seconds(4_000))
    let updated = try scene.connector(settings(scene, "B2C_1_SUSI2"), cache: cache)
    scene.tenant.faults = [LocalFault(on: .token, .respond(answer.response))]
    for _ in 0..<2 {
      let error = try await #require(throws: ConnectorError.self) { try await updated.accessToken() }
      #expect(error.code == .interactionRequired && error.needsInteraction && !error.isRetryable, "\(error)")
      #expect(error.message.contains("B2C_1_SUSI,") && error.recoverySuggestion?.contains("B2C_1_SUSI2") == true)
    }
    // A gateway may have answered so: nobody is signed out.
    guard case .signedIn = try await updated.session else { throw MissingSession() }
    scene.tenant.faults = []
    try await updated.doPolicy(.signIn)
    #expect(try await updated.users().map(\.policyID) == ["B2C_1_SUSI2"])
    _ = try await updated.accessToken(forceRefresh: true)
  }

  @Test(
    "A policy that is gone while the settings still name it is a mistake to fix, and no sign-in helps",
    arguments: answers)
  func removed(_ answer: Answer) async throws {
    let scene = scene()
    let connector = try scene.connector(settings(scene, "B2C_1_SUSI"))
    try await connector.doPolicy(.signIn)
    await scene.clock.advance(by: .seconds(4_000))
    scene.tenant.faults = [LocalFault(on: .token, .respond(answer.response))]
    let error = try await #require(throws: ConnectorError.self) { try await connector.accessToken() }
    // A 400 without an OAuth error may be a firewall's.
    #expect(error.code == (answer.status == 404 ? .configuration : .invalidResponse), "\(error)")
    #expect(!error.needsInteraction && error.message.contains("B2C_1_SUSI") == (answer.status == 404))
    guard case .signedIn = try await connector.session else { throw MissingSession() }
  }

  private struct MissingSession: Error {}
}
