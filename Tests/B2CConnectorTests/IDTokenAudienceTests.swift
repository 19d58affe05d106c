import B2CConnector
import B2CCore
import B2CTestKit
import Foundation
import TestSupport
import Testing

/// OpenID Connect Core 3.1.3.7 rule 3: further audiences are not trusted.
@Suite("An id_token for several audiences")
struct IDTokenAudienceTests {
  private func refusal(of audiences: [String]) async throws -> ConnectorError {
    let scene = Scene(shape: .openIDConnect)
    let client = scene.tenant.clientID
    scene.tenant.behavior.changeIDTokenClaims = {
      $0["aud"] = .array(([client] + audiences).map(JSONValue.string))
      $0["azp"] = .string(client)
    }
    return try await #require(throws: ConnectorError.self) { try await scene.connector().signIn() }
  }

  @Test("is refused with the others that it names", arguments: [["project-7"], ["project-7", "project-8"]])
  func refused(_ audiences: [String]) async throws {
    let error = try await refusal(of: audiences)
    #expect(error.message.contains("it is also for"))
    for audience in audiences { #expect(error.message.contains("'\(audience)'")) }
  }

  @Test(
    "in small letters is accepted by a client ID in capitals at Microsoft's services",
    arguments: [
      LocalTenant.Shape.b2c, .entra, .ciam,
    ])
  func capitals(_ shape: LocalTenant.Shape) async throws {
    let scene = Scene(shape: shape, clientID: "7bf688ce-8139-4fd1-a2c0-1b9b6a37d1c5")
    let small = try scene.connector()
    let id = scene.tenant.clientID.uppercased()
    let capital = try scene.connector(scene.settings { $0.clientID = id })
    let user = try await capital.signIn().user
    await scene.clock.advance(by: .seconds(4_000))
    _ = try await capital.accessToken()
    // Both are one client: the session is the same one.
    #expect(try await small.accessToken().userID == user.id)
    #expect(try await scene.cache.keys().count == 1)
  }

  @Test("that cannot be shown is refused with words all the same")
  func unprintable() async throws {
    let error = try await refusal(of: (0..<200).map { "a\u{202E}\n\($0)" })
    #expect(error.message.utf8.count < 600 && !error.message.contains("\n") && !error.message.contains("\u{202E}"))
  }
}
