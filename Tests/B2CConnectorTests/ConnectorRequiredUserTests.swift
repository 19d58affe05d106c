import B2CConnector
import B2CTestKit
import Foundation
import TestSupport
import Testing

/// `userId` of the settings and an id_token that cannot be compared with it.
@Suite struct ConnectorRequiredUserTests {
  struct Row: Sendable, CustomTestStringConvertible {
    let shape: LocalTenant.Shape
    let userID: String
    /// The claims to change; `.null` removes one.
    let claims: [String: JSONValue]
    /// Words of the message, and of what to do.
    let message: String
    let advice: [String]

    init(
      _ shape: LocalTenant.Shape, _ userID: String, _ claims: [String: JSONValue], _ message: String,
      _ advice: String...
    ) {
      (self.shape, self.userID, self.claims, self.message, self.advice) = (shape, userID, claims, message, advice)
    }

    var testDescription: String { "\(shape) \(userID) \(claims)" }
  }

  private static let alice = LocalUser.alice.email
  private static let nothing: [String: JSONValue] = ["emails": .null, "email": .null, "preferred_username": .null]

  private static let nothingToCompare = "no address or user name that can be compared"

  static let rows = [
    Row(.b2c, alice, nothing, nothingToCompare, "Email Addresses", "object ID"),
    Row(.b2c, " \(alice)", ["emails": []], nothingToCompare, "Email Addresses", "object ID"),
    Row(.b2c, alice, ["emails": [""], "unique_name": "alice"], nothingToCompare, "Email Addresses", "object ID"),
    Row(.b2c, "alice", [:], nothingToCompare, "object ID"),
    Row(.entra, alice, nothing, nothingToCompare, "optional claim", "object ID"),
    Row(.ciam, alice, nothing, nothingToCompare, "optional claim", "object ID"),
    Row(.openIDConnect, alice, nothing, nothingToCompare, "scope email", "(sub)", "email_verified"),
    Row(.openIDConnect, alice, ["email_verified": false], nothingToCompare, "(sub)", "email_verified"),
    // The claims name another user.
    Row(.b2c, LocalUser.bob.email, [:], "Another user", "Sign in as that user"),
    Row(.b2c, "bob", ["unique_name": "alice"], "Another user", "Sign in as that user"),
    Row(.entra, "00000000-0000-4000-8000-00000000000b", [:], "Another user", "Sign in as that user"),
    Row(.openIDConnect, LocalUser.bob.email, ["email_verified": true], "Another user", "email_verified"),
    Row(.openIDConnect, "bob", [:], "Another user", "Sign in as that user"),
  ]

  @Test("An id_token that cannot be compared with userId is not called another user's", arguments: rows)
  func obstacle(_ row: Row) async throws {
    let scene = Scene(shape: row.shape) {
      $0.changeIDTokenClaims = { claims in
        for (name, value) in row.claims { claims[name] = value == .null ? nil : value }
      }
    }
    let connector = try scene.connector(scene.settings { $0.userID = row.userID })
    let error = try await #require(throws: ConnectorError.self) { try await connector.signIn() }
    #expect(error.code == .wrongUser && error.message.contains(row.message), "\(error)")
    for words in row.advice { #expect(error.recoverySuggestion?.contains(words) == true, "\(error)") }
    #expect(!"\(error)".contains(Self.alice))
    #expect(try await connector.session == .signedOut)
  }
}
