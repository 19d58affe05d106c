import B2CConnector
import B2CTestKit
import Foundation
import TestSupport
import Testing

/// What the provider's answer to a refresh means for the session.
@Suite("A refused refresh", .hangLimit)
struct RefusedRefreshTests {
  struct Row: Sendable, CustomTestStringConvertible {
    let shape: LocalTenant.Shape
    let status: Int
    let body: String
    /// The code of the error, where the row is about it.
    let means: ErrorCode?
    let ends: Bool
    var testDescription: String { "\(shape) \(status) \(body.prefix(80))" }

    /// An answer after which only a sign-in helps.
    static func ends(_ shape: LocalTenant.Shape, _ status: Int, _ body: String) -> Row {
      Row(shape: shape, status: status, body: body, means: .interactionRequired, ends: true)
    }

    /// An answer that leaves the session as it is.
    static func goesOn(_ shape: LocalTenant.Shape, _ status: Int, _ body: String, _ means: ErrorCode? = nil) -> Row {
      Row(shape: shape, status: status, body: body, means: means, ends: false)
    }

    static func aadb2c(_ code: Int, _ error: String = "invalid_grant") -> String {
      #"{"error":"\#(error)","error_description":"AADB2C\#(code): Text.\r\nTimestamp: 2026-01-01 00:00:00Z"}"#
    }
  }

  static let rows: [Row] = [
    // The service's own code is definite, whatever `error` comes with it.
    .ends(.b2c, 400, Row.aadb2c(90080)), .ends(.b2c, 400, Row.aadb2c(90129)), .ends(.b2c, 400, Row.aadb2c(90128)),
    .ends(.b2c, 400, Row.aadb2c(90129, "invalid_request")), .ends(.b2c, 401, Row.aadb2c(90080, "invalid_token")),
    .ends(.b2c, 400, #"{"error":"invalid_grant","suberror":"bad_token"}"#),
    .goesOn(.b2c, 400, Row.aadb2c(90088)), .goesOn(.b2c, 400, Row.aadb2c(90085)),
    .goesOn(.b2c, 400, Row.aadb2c(90244)), .goesOn(.b2c, 400, Row.aadb2c(90035)),
    .goesOn(.b2c, 400, Row.aadb2c(90117)), .goesOn(.b2c, 400, Row.aadb2c(99999)),
    .goesOn(.b2c, 400, #"{"error":"invalid_grant"}"#), .goesOn(.b2c, 401, #"{"error":"invalid_client"}"#),
    .goesOn(.b2c, 400, #"{"error":"temporarily_unavailable"}"#), .goesOn(.b2c, 400, ""), .goesOn(.b2c, 429, ""),
    .goesOn(.b2c, 500, ""),
    // A busy server or one in trouble ends nothing, whatever the body names.
    .goesOn(.b2c, 503, Row.aadb2c(90129), .serviceUnavailable), .goesOn(.b2c, 429, Row.aadb2c(90129), .throttled),
    .goesOn(.b2c, 500, Row.aadb2c(90080), .serviceUnavailable),
    .goesOn(.b2c, 403, #"{"error":"access_denied"}"#, .accessDenied),
    .ends(.entra, 400, #"{"error":"invalid_grant","error_description":"AADSTS700082: Text."}"#),
    .ends(.entra, 400, #"{"error":"invalid_grant","error_description":"AADSTS70043: Text."}"#),
    .ends(.entra, 400, #"{"error":"invalid_grant","error_codes":[50173]}"#),
    .ends(.entra, 200, #"{"error":"invalid_grant","suberror":"bad_token"}"#),
    .goesOn(.entra, 400, #"{"error":"invalid_grant","suberror":"client_mismatch"}"#),
    .goesOn(.entra, 400, #"{"error":"interaction_required","error_description":"AADSTS50076: Text."}"#),
    .goesOn(.entra, 400, #"{"error":"invalid_request"}"#, .configuration),
    // Where no user was asked, it is not the user who denies.
    .goesOn(.entra, 403, #"{"error":"access_denied"}"#, .accessDenied),
    // RFC 6749 section 5.2; Glewlwyd for a token that it does not know and for one that was disabled; a word of RFC 6750.
    .ends(.openIDConnect, 400, #"{"error":"invalid_grant"}"#),
    .ends(.openIDConnect, 400, #"{"error":"invalid_grant","error_description":"Token is not active"}"#),
    .ends(.openIDConnect, 400, #"{"error":"invalid_request"}"#), .ends(.openIDConnect, 400, ""),
    .ends(.openIDConnect, 401, #"{"error":"invalid_token"}"#),
    .ends(.openIDConnect, 403, #"{"error":"access_denied"}"#),
    // A 200 with an error and no token is that error.
    .ends(.openIDConnect, 200, #"{"error":"invalid_grant"}"#),
    .goesOn(.openIDConnect, 200, #"{"error":"invalid_client"}"#, .configuration),
    // What a firewall says is no answer of the provider: nothing is thrown away, and no sign-in helps.
    .goesOn(.openIDConnect, 403, "<html>Blocked</html>", .invalidResponse),
    .goesOn(.openIDConnect, 400, "Bad Request", .invalidResponse),
    .goesOn(.b2c, 403, "<html>Blocked</html>", .invalidResponse),
    // What names the app or the scopes says nothing about the refresh token.
    .goesOn(.openIDConnect, 401, #"{"error":"invalid_client"}"#, .configuration),
    .goesOn(.openIDConnect, 400, #"{"error":"unauthorized_client"}"#, .configuration),
    .goesOn(.openIDConnect, 400, #"{"error":"invalid_scope"}"#, .configuration),
    .goesOn(.openIDConnect, 400, #"{"error":"invalid_target"}"#, .configuration),
    .goesOn(.openIDConnect, 400, #"{"error":"invalid_resource"}"#, .configuration),
    // A provider may say "later" in a status of the 400s.
    .goesOn(.openIDConnect, 400, #"{"error":"temporarily_unavailable"}"#, .serviceUnavailable),
    .goesOn(.openIDConnect, 403, #"{"error":"server_error"}"#, .serviceUnavailable),
    .goesOn(.openIDConnect, 400, #"{"error":"slow_down"}"#, .throttled),
    .goesOn(.openIDConnect, 429, #"{"error":"invalid_grant"}"#, .throttled),
    .goesOn(.openIDConnect, 503, #"{"error":"invalid_grant"}"#, .serviceUnavailable),
    .goesOn(.openIDConnect, 408, #"{"error":"invalid_grant"}"#, .timedOut),
  ]

  @Test(
    "A dead refresh token asks for a sign-in and is not sent again; no other answer ends the session", arguments: rows)
  func refused(_ row: Row) async throws {
    let scene = Scene(shape: row.shape)
    let connector = try await scene.signedIn(after: 4_000)
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
      let sent = scene.transport.tokenForms.count
      await expectError(ConnectorError.self, .interactionRequired) { try await connector.accessToken() }
      #expect(scene.transport.tokenForms.count == sent)
    } else {
      _ = try await connector.accessToken()
    }
    // Who it was stays known either way.
    #expect(try await connector.session.user?.name == LocalUser.alice.displayName)
  }

  @Test("A refusal of what the caller added to a refresh does not end the session")
  func refusedParameter() async throws {
    let scene = Scene(shape: .openIDConnect)
    let connector = try await scene.signedIn()
    scene.transport.answerTokens(400, #"{"error":"invalid_request"}"#)
    await #expect(throws: ConnectorError.self) { try await connector.accessToken(claims: #"{"access_token":{}}"#) }
    #expect(try await scene.record().refreshToken != nil)
  }

  @Test("A definite refusal ends the session only while the refused token is the stored one")
  func replacedMeanwhile() async throws {
    let cache = SwappingCache()
    let scene = Scene(cache: cache)
    let connector = try await scene.signedIn()
    let key = try #require(try await cache.keys().first)
    var renewed = try #require(try await cache.record(for: key))
    renewed.refreshToken = Secret("renewed-by-another-process")
    await scene.clock.advance(by: .seconds(4_000))
    scene.transport.intercept { [renewed] request in
      guard request.isTokenRequest else { return nil }
      // The record changes after it was read once more, and before it is written.
      cache.swap(to: renewed, for: key, afterReads: 1)
      return LocalResponse(status: 400, body: Data(Row.aadb2c(90129).utf8))
    }
    await #expect(throws: ConnectorError.self) { try await connector.accessToken() }
    #expect(try await cache.record(for: key)?.refreshToken == renewed.refreshToken)
  }

  @Test(
    "Without a connection nothing is lost",
    arguments: [URLError.Code.cannotConnectToHost, .networkConnectionLost, .timedOut, .dataLengthExceedsMaximum])
  func offline(_ code: URLError.Code) async throws {
    let scene = Scene()
    let connector = try await scene.signedIn(after: 4_000)
    scene.transport.intercept { request in
      guard request.isTokenRequest else { return nil }
      throw URLError(code)
    }
    await #expect(throws: ConnectorError.self) { try await connector.accessToken() }
    #expect(scene.transport.tokenForms.count == 2)
    scene.transport.letEverythingPass()
    _ = try await connector.accessToken()
  }
}
