import B2CConnector
import B2CTestKit
import Testing

/// What a provider offers and this package does not use is said once, and is no fault.
@Suite("Diagnosis of a provider that offers more than is used")
struct DiagnosisUnusedOffersTests {
  private static let check = "offers not used"
  private static let endpoint: JSONValue = "https://contoso.b2clogin.com/par"

  static let offers: [(metadata: [String: JSONValue], words: [String])] = [
    (["dpop_signing_alg_values_supported": ["ES256"]], ["DPoP"]),
    (["pushed_authorization_request_endpoint": endpoint], ["RFC 9126"]),
    (
      ["dpop_signing_alg_values_supported": ["ES256"], "pushed_authorization_request_endpoint": endpoint],
      ["DPoP", "RFC 9126"]
    ),
  ]

  @Test("DPoP and pushed requests are named in one line for all policies", arguments: offers)
  func named(_ metadata: [String: JSONValue], _ words: [String]) async throws {
    let diagnosis = try await diagnosis(metadata)
    let lines = diagnosis.findings.filter { $0.check == Self.check }
    #expect(lines.count == 1 && diagnosis.isHealthy, "\(diagnosis)")
    let line = try #require(lines.first)
    #expect(line.outcome == .ok && line.recoverySuggestion == nil)
    for word in ["DPoP", "RFC 9126"] { #expect(line.detail.contains(word) == words.contains(word), "\(line.detail)") }
  }

  @Test(
    "Nothing is said where nothing is offered",
    arguments: [
      [:], ["dpop_signing_alg_values_supported": []], ["dpop_signing_alg_values_supported": "ES256"],
      ["pushed_authorization_request_endpoint": ""], ["pushed_authorization_request_endpoint": .null],
    ] as [[String: JSONValue]])
  func nothing(_ metadata: [String: JSONValue]) async throws {
    #expect(try await !diagnosis(metadata).findings.contains { $0.check == Self.check })
  }

  @Test("Where pushed requests are required, the finding about that is enough")
  func required() async throws {
    let diagnosis = try await diagnosis([
      "pushed_authorization_request_endpoint": Self.endpoint, "require_pushed_authorization_requests": true,
    ])
    #expect(!diagnosis.isHealthy && !diagnosis.findings.contains { $0.check == Self.check })
  }

  private func diagnosis(_ metadata: [String: JSONValue]) async throws -> Diagnosis {
    let world = World()
    world.tenant.behavior.changeMetadata = { fields in
      for (name, value) in metadata { fields[name] = value }
    }
    return try await world.connector().diagnose()
  }
}
