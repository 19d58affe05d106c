import B2CConnector
import B2CCore
import B2CTestKit
import Foundation
import TestSupport
import Testing

@Suite("Audiences to trust, from the settings to the check of an id_token")
struct ConnectorTrustedAudiencesTests {
  private func signIn(
    settings trusted: Set<String>, configure: (inout Connector.Options) -> Void = { _ in }
  ) async throws {
    let world = World()
    let client = world.tenant.clientID
    world.tenant.behavior.changeIDTokenClaims = {
      $0["aud"] = [.string(client), "project-7"]
      $0["azp"] = .string(client)
    }
    var settings = try world.settings()
    settings.trustedAudiences = trusted
    try await Connector(settings: settings, environment: world.environment()) { configure(&$0) }.doPolicy(.signIn)
  }

  @Test("Those of the settings count, and those of the options replace them")
  func trusted() async throws {
    try await signIn(settings: ["project-7"])
    try await signIn(settings: []) { $0.trustedAudiences = ["project-7"] }
    for trusted: Set<String> in [[], ["project-8"]] {
      let error = try await #require(throws: ConnectorError.self) { try await signIn(settings: trusted) }
      #expect(error.code == .invalidIDToken)
      #expect(error.message.contains("'project-7'"))
    }
    await #expect(throws: ConnectorError.self) {
      try await signIn(settings: ["project-7"]) { $0.trustedAudiences = [] }
    }
  }
}
