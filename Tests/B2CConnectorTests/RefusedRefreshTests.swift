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

    /// A response after which only a sign-in helps.
    static func ends(_ shape: LocalTenant.Shape, _ status: Int, _ body: String) -> Row {
      Row(shape: shape, status: status, body: body, means: .interactionRequired, ends: true)
    }

    /// A response that does not end the session.
    static func goesOn(_ shape: LocalTenant.Shape, _ status: Int, _ body: String, _ means: ErrorCode? = nil) -> Row {
      Row(shape: shape, status: status, body: body, means: means, ends: false)
    }
  }

  private static func aadb2c(_ code: Int, _ error: String = "invalid_grant") -> String {
    #"{"error":"\#(error)","error_description":"AADB2C\#(code): Text.\r\nTimestamp: 2026-01-01 00:00:00Z"}"#
  }

  private static func error(_ name: String) -> String { #"{"error":"\#(name)"}"# }

  private static let badToken = #"{"error":"invalid_grant","suberror":"bad_token"}"#

  static let b2c: [Row] = [
    // The service's own code is definite, whatever `error` comes with it.
    .ends(.b2c, 400, aadb2c(90080)), .ends(.b2c, 400, aadb2c(90129)), .ends(.b2c, 400, aadb2c(90128)),
    .ends(.b2c, 400, aadb2c(90129, "invalid_request")), .ends(.b2c, 401, aadb2c(90080, "invalid_token")),
    .ends(.b2c, 400, badToken),
    .goesOn(.b2c, 400, aadb2c(90088)), .goesOn(.b2c, 400, aadb2c(90085)), .goesOn(.b2c, 400, aadb2c(90244)),
    .goesOn(.b2c, 400, aadb2c(90035)), .goesOn(.b2c, 400, aadb2c(90117)), .goesOn(.b2c, 400, aadb2c(99999)),
    .goesOn(.b2c, 400, error("invalid_grant")), .goesOn(.b2c, 401, error("invalid_client")),
    .goesOn(.b2c, 400, error("temporarily_unavailable")), .goesOn(.b2c, 400, ""), .goesOn(.b2c, 429, ""),
    .goesOn(.b2c, 500, ""),
    // A server that is busy or in trouble ends nothing, whatever the body names.
    .goesOn(.b2c, 503, aadb2c(90129), .serviceUnavailable), .goesOn(.b2c, 429, aadb2c(90129), .throttled),
    .goesOn(.b2c, 500, aadb2c(90080), .serviceUnavailable), .goesOn(.b2c, 500, badToken, .serviceUnavailable),
    // If no user was asked, it is not the user who denies.
    .goesOn(.b2c, 403, error("access_denied"), .accessDenied),
    .goesOn(.b2c, 403, "<html>Blocked</html>", .invalidResponse),
  ]

  static let entra: [Row] = [
    .ends(.entra, 400, #"{"error":"invalid_grant","error_description":"AADSTS700082: Text."}"#),
    .ends(.entra, 400, #"{"error":"invalid_grant","error_description":"AADSTS70043: Text."}"#),
    .ends(.entra, 400, #"{"error":"invalid_grant","error_codes":[50173]}"#), .ends(.entra, 200, badToken),
    .goesOn(.entra, 503, badToken, .serviceUnavailable),
    .goesOn(.entra, 400, #"{"error":"invalid_grant","suberror":"client_mismatch"}"#),
    .goesOn(.entra, 400, #"{"error":"interaction_required","error_description":"AADSTS50076: Text."}"#),
    .goesOn(.entra, 400, error("invalid_request"), .configuration),
    .goesOn(.entra, 403, error("access_denied"), .accessDenied),
  ]

  static let others: [Row] = [
    // RFC 6749 section 5.2; Glewlwyd for a token that it does not know and for one that was disabled; a word of RFC 6750.
    .ends(.openIDConnect, 400, error("invalid_grant")),
    .ends(.openIDConnect, 400, #"{"error":"invalid_grant","error_description":"Token is not active"}"#),
    .ends(.openIDConnect, 400, error("invalid_request")), .ends(.openIDConnect, 400, ""),
    .ends(.openIDConnect, 401, error("invalid_token")), .ends(.openIDConnect, 403, error("access_denied")),
    // A 200 with an error and without tokens is that error.
    .ends(.openIDConnect, 200, error("invalid_grant")),
    .goesOn(.openIDConnect, 200, error("invalid_client"), .configuration),
    // A firewall's page is no response of the provider, so nothing is thrown away, and no sign-in helps.
    .goesOn(.openIDConnect, 403, "<html>Blocked</html>", .invalidResponse),
    .goesOn(.openIDConnect, 400, "Bad Request", .invalidResponse),
    // An error about the app or the scopes says nothing about the refresh token.
    .goesOn(.openIDConnect, 401, error("invalid_client"), .configuration),
    .goesOn(.openIDConnect, 400, error("unauthorized_client"), .configuration),
    .goesOn(.openIDConnect, 400, error("invalid_scope"), .configuration),
    .goesOn(.openIDConnect, 400, error("invalid_target"), .configuration),
    .goesOn(.openIDConnect, 400, error("invalid_resource"), .configuration),
    // A provider may say "later" with a status of the 400s.
    .goesOn(.openIDConnect, 400, error("temporarily_unavailable"), .serviceUnavailable),
    .goesOn(.openIDConnect, 403, error("server_error"), .serviceUnavailable),
    .goesOn(.openIDConnect, 400, error("slow_down"), .throttled),
    .goesOn(.openIDConnect, 429, error("invalid_grant"), .throttled),
    .goesOn(.openIDConnect, 503, error("invalid_grant"), .serviceUnavailable),
    .goesOn(.openIDConnect, 408, error("invalid_grant"), .timedOut),
  ]

  @Test(
    "A dead refresh token ends the session and is not sent again, and no other response does",
    arguments: b2c + entra + others)
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
    stage.scene.transport.answerTokens(400, Self.error("invalid_request"))
    await #expect(throws: ConnectorError.self) { try await stage.connector.accessToken(claims: SignedInScene.claims) }
    #expect(try await stage.scene.record().refreshToken != nil)
  }

  @Test("A definite refusal ends the session only if the refused token is the stored one")
  func replacedMeanwhile() async throws {
    let cache = SwappingCache()
    let stage = try await SignedInScene(Scene(cache: cache))
    let key = try #require(try await cache.keys().first)
    var renewed = try await stage.scene.record()
    renewed.refreshToken = Secret("renewed-by-another-process")
    stage.scene.transport.intercept { [renewed] request in
      guard request.isTokenRequest else { return nil }
      // The record changes after it was read again, and before it is written.
      cache.swap(to: renewed, for: key, afterReads: 1)
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
    stage.scene.transport.intercept { request in
      guard request.isTokenRequest else { return nil }
      throw URLError(code)
    }
    await #expect(throws: ConnectorError.self) { try await stage.connector.accessToken() }
    #expect(stage.scene.transport.tokenForms.count == 2)
    stage.scene.transport.letEverythingPass()
    _ = try await stage.connector.accessToken()
  }
}
