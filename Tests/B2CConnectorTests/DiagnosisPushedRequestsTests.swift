import B2CConnector
import B2CTestKit
import Foundation
import TestSupport
import Testing

@Suite("Diagnosis of a provider that requires pushed authorization requests")
struct DiagnosisPushedRequestsTests {
  @Test("A sign-in cannot work there, and the finding says so", arguments: [true, false])
  func required(_ isRequired: Bool) async throws {
    let world = World()
    world.tenant.behavior.changeMetadata = {
      if isRequired { $0["require_pushed_authorization_requests"] = true }
    }
    let diagnosis = try await world.connector().diagnose()
    #expect(diagnosis.isHealthy == !isRequired)
    let finding = diagnosis.findings.first { $0.check == "pushed authorization requests of B2C_1_SignIn" }
    #expect((finding != nil) == isRequired)
    guard let finding else { return }
    #expect(finding.outcome == .failed && finding.detail.contains("RFC 9126") && finding.recoverySuggestion != nil)
  }
}
