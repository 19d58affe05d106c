import B2CConnector
import B2CTestKit
import Foundation
import TestSupport
import Testing

/// The meaning of the provider's response to a refresh for the session.
@Suite("A refused refresh", .hangLimit)
struct RefusedRefreshTests {
  struct Row: Sendable, CustomTestStringConvertible {
    let shape: LocalTenant.Shape
    let status: Int
    let body: String
    /// The code of the error, if the row is about it.
    let means: ErrorCode?
    let ends: Bool
    var testDescription: String { "\(shape) \(status) \(body.prefix(80))" }
  }

  /// Responses after which only a sign-in helps.
  private static func ends(_ shape: LocalTenant.Shape, _ status: Int, _ bodies: String...) -> [Row] {
    bodies.map { Row(shape: shape, status: status, body: $0, means: .interactionRequired, ends: true) }
  }

  /// Responses that do not end the session.
  private static func goesOn(
    _ shape: LocalTenant.Shape, _ status: Int, as means: ErrorCode? = nil, _ bodies: String...
  ) -> [Row] {
    bodies.map { Row(shape: shape, status: status, body: $0, means: means, ends: false) }
  }

  private static func error(_ name: String, _ says: String? = nil) -> String {
    let words = says.map { #","error_description":"\#($0)""# } ?? ""
    return #"{"error":"\#(name)"\#(words)}"#
  }

  private static func aadb2c(_ code: Int, _ name: String = "invalid_grant") -> String {
    error(name, #"AADB2C\#(code): Text.\r\nTimestamp: 2026-01-01 00:00:00Z"#)
  }

  private static let badToken = #"{"error":"invalid_grant","suberror":"bad_token"}"#

  static let rows: [[Row]] = [
    // Azure AD B2C's own code is definite, whatever `error` comes with it.
    ends(.b2c, 400, aadb2c(90080), aadb2c(90129), aadb2c(90128), aadb2c(90129, "invalid_request"), badToken),
    ends(.b2c, 401, aadb2c(90080, "invalid_token")),
    goesOn(.b2c, 400, aadb2c(90088), aadb2c(90085), aadb2c(90244), aadb2c(90035), aadb2c(90117), aadb2c(99999)),
    goesOn(.b2c, 400, error("invalid_grant"), error("temporarily_unavailable"), ""),
    goesOn(.b2c, 401, error("invalid_client")),
    ends(.entra, 400, error("invalid_grant", "AADSTS700082: Text."), error("invalid_grant", "AADSTS70043: Text.")),
    ends(.entra, 400, #"{"error":"invalid_grant","error_codes":[50173]}"#), ends(.entra, 200, badToken),
    goesOn(.entra, 400, #"{"error":"invalid_grant","suberror":"client_mismatch"}"#),
    goesOn(.entra, 400, error("interaction_required", "AADSTS50076: Text.")),
    goesOn(.entra, 400, as: .configuration, error("invalid_request")),
    // RFC 6749 section 5.2; Glewlwyd for a token that it does not know and for one that was disabled; a word of RFC 6750.
    ends(.openIDConnect, 400, error("invalid_grant"), error("invalid_request"), ""),
    ends(.openIDConnect, 400, error("invalid_grant", "Token is not active")),
    ends(.openIDConnect, 401, error("invalid_token")), ends(.openIDConnect, 403, error("access_denied")),
    // A 200 with an error and without tokens is that error.
    ends(.openIDConnect, 200, error("invalid_grant")),
    goesOn(.openIDConnect, 200, as: .configuration, error("invalid_client")),
    // An error about the app or the scopes says nothing about the refresh token.
    goesOn(.openIDConnect, 401, as: .configuration, error("invalid_client")),
    goesOn(.openIDConnect, 400, as: .configuration, error("unauthorized_client"), error("invalid_scope")),
    goesOn(.openIDConnect, 400, as: .configuration, error("invalid_target"), error("invalid_resource")),
    // A provider may say "later" with a status of the 400s.
    goesOn(.openIDConnect, 400, as: .serviceUnavailable, error("temporarily_unavailable")),
    goesOn(.openIDConnect, 403, as: .serviceUnavailable, error("server_error")),
    goesOn(.openIDConnect, 400, as: .throttled, error("slow_down")),
    // A server that is busy or in trouble ends nothing, whatever the body names.
    goesOn(.b2c, 429, as: .throttled, aadb2c(90129)), goesOn(.b2c, 503, as: .serviceUnavailable, aadb2c(90129)),
    goesOn(.b2c, 500, as: .serviceUnavailable, aadb2c(90080), badToken),
    goesOn(.entra, 503, as: .serviceUnavailable, badToken),
    goesOn(.openIDConnect, 429, as: .throttled, error("invalid_grant")),
    goesOn(.openIDConnect, 503, as: .serviceUnavailable, error("invalid_grant")),
    goesOn(.openIDConnect, 408, as: .timedOut, error("invalid_grant")),
    // If no user was asked, it is not the user who denies.
    goesOn(.b2c, 403, as: .accessDenied, error("access_denied")),
    goesOn(.entra, 403, as: .accessDenied, error("access_denied")),
    // A firewall's page is no response of the provider, so nothing is thrown away, and no sign-in helps.
    goesOn(.b2c, 403, as: .invalidResponse, "<html>Blocked</html>"),
    goesOn(.openIDConnect, 403, as: .invalidResponse, "<html>Blocked</html>"),
    goesOn(.openIDConnect, 400, as: .invalidResponse, "Bad Request"),
  ]

  @Test(
    "A dead refresh token ends the session and is not sent again, and no other response does",
    arguments: rows.flatMap(\.self))
  func refused(_ row: Row) async throws {
    let stage = try await SignedInScene(Scene(shape: row.shape))
    let (scene, connector) = (stage.scene, stage.connector)
    scene.transport.answerTokens(row.status, row.body)
    let error = try await #require(throws: ConnectorError.self) { try await connector.accessToken() }
    #expect(error.status == row.status)
    if let means = row.means {
      #expect(error.code == means && error.needsInteraction == (means == .interactionRequired))
      if means == .invalidResponse { #expect(error.isRetryable) }
    }
    #expect((try await scene.record().refreshToken == nil) == row.ends)
    scene.transport.letEverythingPass()
    if row.ends {
      await expectError(ConnectorError.self, .interactionRequired) { try await connector.accessToken() }
      #expect(scene.transport.tokenForms.count == 2)
    } else {
      _ = try await connector.accessToken()
    }
    // The user remains known.
    #expect(try await connector.session.user?.name == LocalUser.alice.displayName)
  }

  @Test("A refusal of what the caller added to a refresh does not end the session")
  func refusedParameter() async throws {
    let stage = try await SignedInScene(Scene(shape: .openIDConnect), after: 0)
    for (name, isKept) in [("invalid_request", true), ("invalid_grant", false)] {
      stage.scene.transport.answerTokens(400, Self.error(name))
      await #expect(throws: ConnectorError.self) { try await stage.connector.accessToken(claims: SignedInScene.claims) }
      #expect((try await stage.scene.record().refreshToken != nil) == isKept)
      stage.scene.transport.letEverythingPass()
    }
  }

  @Test("A definite refusal ends the session only if the refused token is the stored one")
  func replacedMeanwhile() async throws {
    let cache = SwappingCache()
    let stage = try await SignedInScene(Scene(cache: cache))
    var renewed = try await stage.scene.record()
    renewed.refreshToken = Secret("renewed-by-another-process")
    stage.scene.transport.intercept { [renewed] request in
      guard request.isTokenRequest else { return nil }
      // The record changes after it was read again, and before it is written.
      cache.next.withLock { $0 = renewed }
      return LocalResponse(status: 400, body: Data(Self.aadb2c(90129).utf8))
    }
    await #expect(throws: ConnectorError.self) { try await stage.connector.accessToken() }
    #expect(try await stage.scene.record().refreshToken == renewed.refreshToken)
  }

  @Test(
    "Without a connection the refresh token is sent once and kept",
    arguments: [URLError.Code.cannotConnectToHost, .networkConnectionLost, .timedOut, .dataLengthExceedsMaximum])
  func offline(_ code: URLError.Code) async throws {
    let stage = try await SignedInScene()
    stage.scene.transport.intercept { if $0.isTokenRequest { throw URLError(code) } else { nil } }
    await #expect(throws: ConnectorError.self) { try await stage.connector.accessToken() }
    #expect(stage.scene.transport.tokenForms.count == 2)
    stage.scene.transport.letEverythingPass()
    _ = try await stage.connector.accessToken()
  }
}
