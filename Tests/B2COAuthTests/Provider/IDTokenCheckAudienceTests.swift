import B2CCore
import B2CIDToken
import B2COAuth
import B2CTestKit
import Foundation
import TestSupport
import Testing

/// OpenID Connect Core 3.1.3.7 rule 3: further audiences have to be trusted.
@Suite("An id_token for several audiences")
struct IDTokenCheckAudienceTests {
  private func signIn(for audiences: [String], trusting trusted: Set<String>) async throws -> UserInfo {
    let fixture = Fixture(shape: .openIDConnect)
    let client = fixture.tenant.clientID
    fixture.tenant.behavior.changeIDTokenClaims = {
      $0["aud"] = .array(([client] + audiences).map(JSONValue.string))
      $0["azp"] = .string(client)
    }
    return try await fixture.client { $0.trustedAudiences = trusted }.signIn().user
  }

  struct Untrusted: Sendable, CustomTestStringConvertible {
    let audiences: [String]
    let trusted: Set<String>
    let named: [String]
    var testDescription: String { "\(audiences), trusting \(trusted.sorted())" }
  }

  static let untrusted: [Untrusted] = [
    Untrusted(audiences: ["project-7"], trusted: [], named: ["project-7"]),
    Untrusted(audiences: ["project-7"], trusted: ["project-70", "PROJECT-7"], named: ["project-7"]),
    Untrusted(audiences: ["project-7", "project-8"], trusted: ["project-7"], named: ["project-8"]),
    Untrusted(audiences: ["project-7", "project-8"], trusted: [], named: ["project-7", "project-8"]),
  ]

  @Test("is refused with the audiences that are not trusted, and the key to name them by", arguments: untrusted)
  func refused(_ row: Untrusted) async throws {
    let error = try await #require(throws: OAuthError.self) {
      try await signIn(for: row.audiences, trusting: row.trusted)
    }
    #expect((error.underlying as? IDTokenRejection)?.reason == .untrustedAudience)
    for audience in row.audiences {
      #expect(error.message.contains("'\(audience)'") == row.named.contains(audience))
    }
    #expect(error.recoverySuggestion?.contains("trustedAudiences") == true)
  }

  @Test("is accepted when all others are trusted")
  func trusted() async throws {
    let user = try await signIn(for: ["project-7", "project-8"], trusting: ["project-7", "project-8", "project-9"])
    #expect(user.subject == LocalUser.alice.id)
  }

  @Test("that cannot be shown is refused with words all the same")
  func unprintable() async throws {
    let audiences = (0..<200).map { "a\u{202E}\n\($0)" }
    let error = try await #require(throws: OAuthError.self) { try await signIn(for: audiences, trusting: []) }
    #expect(error.message.utf8.count < 600 && !error.message.contains("\n") && !error.message.contains("\u{202E}"))
  }
}
