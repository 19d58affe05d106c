import B2CConnector
import B2CTestKit
import Foundation
import TestSupport
import Testing

/// `userId` of the settings, compared with the id_token of a sign-in.
@Suite("A required user", .hangLimit)
struct ConnectorRequiredUserTests {
  /// The user who is required, the claims of the id_token, and words of the recovery suggestion.
  typealias Row = (shape: LocalTenant.Shape, userID: String, claims: RefreshRow.Claims, advice: [String])

  private static let alice = LocalUser.alice.email
  private static let nothing: RefreshRow.Claims = ["emails": nil, "email": nil, "preferred_username": nil]

  private func connector(_ row: Row) throws -> Connector {
    let claims = row.claims
    let scene = Scene(shape: row.shape) { $0.changeIDTokenClaims = { $0.set(claims) } }
    return try scene.connector(scene.settings { $0.userID = row.userID })
  }

  static let accepted: [Row] = [
    (.openIDConnect, "Victim42", ["sub": "Victim42"], []),
    // Apple and Amazon Cognito send a text.
    (.openIDConnect, alice, ["email": .string(alice), "email_verified": true], []),
    (.openIDConnect, alice, ["email": .string(alice), "email_verified": "true"], []),
  ]

  @Test("At a generic issuer a required user is named by the exact subject or a verified address", arguments: accepted)
  func accepts(_ row: Row) async throws {
    let connector = try connector(row)
    let user = try await connector.signIn().user
    #expect(try await connector.session == .signedIn(user))
  }

  static let incomparable: [Row] = [
    (.b2c, alice, nothing, ["Email Addresses", "object ID"]),
    (.b2c, " \(alice)", ["emails": []], ["Email Addresses", "object ID"]),
    (.b2c, alice, ["emails": [""], "unique_name": "alice"], ["Email Addresses", "object ID"]),
    (.b2c, "alice", [:], ["object ID"]), (.entra, alice, nothing, ["optional claim", "object ID"]),
    (.ciam, alice, nothing, ["optional claim", "object ID"]),
    (.openIDConnect, alice, nothing, ["scope email", "(sub)", "email_verified"]),
    (.openIDConnect, alice, ["email_verified": false], ["(sub)", "email_verified"]),
    (.openIDConnect, alice, ["email": .string(alice), "email_verified": "false"], ["email_verified"]),
    (.openIDConnect, alice, ["email": .string(alice), "email_verified": ""], ["email_verified"]),
    (.openIDConnect, alice, ["email": .string(alice), "email_verified": nil], ["email_verified"]),
  ]

  static let others: [Row] = [
    (.b2c, LocalUser.bob.email, [:], ["Sign in as that user"]),
    (.b2c, "bob", ["unique_name": "alice"], ["Sign in as that user"]),
    (.entra, "00000000-0000-4000-8000-00000000000b", [:], ["Sign in as that user"]),
    (.openIDConnect, LocalUser.bob.email, ["email_verified": true], ["email_verified"]),
    (.openIDConnect, "bob", [:], ["Sign in as that user"]),
    (.openIDConnect, "vICTIM42", ["sub": "Victim42"], ["Sign in as that user"]),
  ]

  @Test(
    "If the id_token cannot be compared with the required user, the error does not call it another user's",
    arguments: incomparable.map { ($0, "no address or user name that can be compared") }
      + others.map { ($0, "Another user") })
  func refuses(_ row: Row, _ message: String) async throws {
    let connector = try connector(row)
    let error = try await #require(throws: ConnectorError.self) { try await connector.signIn() }
    #expect(error.code == .wrongUser && error.message.contains(message), "\(error)")
    for words in row.advice { #expect(error.recoverySuggestion?.contains(words) == true, "\(error)") }
    #expect(!"\(error)".contains(Self.alice))
    #expect(try await connector.session == .signedOut)
  }
}
