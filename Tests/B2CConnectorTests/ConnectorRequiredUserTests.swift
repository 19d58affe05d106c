import B2CConnector
import B2CTestKit
import Foundation
import TestSupport
import Testing

/// `userId` of the settings, compared with the id_token of a sign-in.
@Suite("A required user", .hangLimit)
struct ConnectorRequiredUserTests {
  struct Row: Sendable, CustomTestStringConvertible {
    let shape: LocalTenant.Shape
    let userID: String
    let claims: RefreshRow.Claims
    /// Words of the recovery suggestion.
    let advice: [String]

    init(
      _ shape: LocalTenant.Shape, _ userID: String, _ claims: RefreshRow.Claims, _ advice: String...
    ) { (self.shape, self.userID, self.claims, self.advice) = (shape, userID, claims, advice) }

    var testDescription: String { "\(shape) \(userID) \(claims)" }

    func connector() throws -> Connector {
      let scene = Scene(shape: shape) { $0.changeIDTokenClaims = { $0.set(claims) } }
      return try scene.connector(scene.settings { $0.userID = userID })
    }
  }

  private static let alice = LocalUser.alice.email
  private static let nothing: RefreshRow.Claims = ["emails": nil, "email": nil, "preferred_username": nil]

  static let accepted: [Row] = [
    Row(.openIDConnect, "Victim42", ["sub": "Victim42"]),
    // Apple and Amazon Cognito send a text.
    Row(.openIDConnect, alice, ["email": .string(alice), "email_verified": true]),
    Row(.openIDConnect, alice, ["email": .string(alice), "email_verified": "true"]),
  ]

  @Test(
    "At a generic issuer the required user may be named by the exact subject or a verified address", arguments: accepted
  )
  func accepts(_ row: Row) async throws {
    let connector = try row.connector()
    let user = try await connector.signIn().user
    #expect(try await connector.session == .signedIn(user))
  }

  static let incomparable: [Row] = [
    Row(.b2c, alice, nothing, "Email Addresses", "object ID"),
    Row(.b2c, " \(alice)", ["emails": []], "Email Addresses", "object ID"),
    Row(.b2c, alice, ["emails": [""], "unique_name": "alice"], "Email Addresses", "object ID"),
    Row(.b2c, "alice", [:], "object ID"), Row(.entra, alice, nothing, "optional claim", "object ID"),
    Row(.ciam, alice, nothing, "optional claim", "object ID"),
    Row(.openIDConnect, alice, nothing, "scope email", "(sub)", "email_verified"),
    Row(.openIDConnect, alice, ["email_verified": false], "(sub)", "email_verified"),
    Row(.openIDConnect, alice, ["email": .string(alice), "email_verified": "false"], "email_verified"),
    Row(.openIDConnect, alice, ["email": .string(alice), "email_verified": ""], "email_verified"),
    Row(.openIDConnect, alice, ["email": .string(alice), "email_verified": nil], "email_verified"),
  ]

  static let others: [Row] = [
    Row(.b2c, LocalUser.bob.email, [:], "Sign in as that user"),
    Row(.b2c, "bob", ["unique_name": "alice"], "Sign in as that user"),
    Row(.entra, "00000000-0000-4000-8000-00000000000b", [:], "Sign in as that user"),
    Row(.openIDConnect, LocalUser.bob.email, ["email_verified": true], "email_verified"),
    Row(.openIDConnect, "bob", [:], "Sign in as that user"),
    Row(.openIDConnect, "vICTIM42", ["sub": "Victim42"], "Sign in as that user"),
  ]

  @Test(
    "If the id_token cannot be compared with the required user, the error does not call it another user's",
    arguments: incomparable.map { ($0, "no address or user name that can be compared") }
      + others.map { ($0, "Another user") })
  func refuses(_ row: Row, _ message: String) async throws {
    let connector = try row.connector()
    let error = try await #require(throws: ConnectorError.self) { try await connector.signIn() }
    #expect(error.code == .wrongUser && error.message.contains(message), "\(error)")
    for words in row.advice { #expect(error.recoverySuggestion?.contains(words) == true, "\(error)") }
    #expect(!"\(error)".contains(Self.alice))
    #expect(try await connector.session == .signedOut)
  }
}
