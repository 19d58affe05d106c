import B2COAuth
import B2CTestKit
import Foundation
import TestSupport
import Testing

/// Tables of `ErrorResponse.asError(scopes:policy:correlationID:)`: the meaning of an error in a callback and in a
/// response of the token endpoint.
@Suite("The meaning of an error response")
struct ErrorResponseTests {
  /// Reads an error in a callback.
  private func inCallback(
    _ error: String, _ says: String? = nil, subcode: String? = nil, at service: Authority.Kind,
    scopes: [String] = [], policy: Policy? = nil
  ) -> ConnectorError {
    let parameters = ["error": error, "error_description": says, "error_subcode": subcode]
    return ErrorResponse(callback: { parameters[$0] ?? nil }, at: service, hiding: [])
      .asError(scopes: scopes, policy: policy)
  }

  /// Reads a response of the token endpoint.
  private func inResponse(
    _ status: Int, _ body: some Encodable, to place: ErrorResponse.Place, at service: Authority.Kind,
    hiding secrets: [String] = []
  ) throws -> ConnectorError {
    try inResponse(status, text: String(decoding: JSONEncoder().encode(body), as: UTF8.self), place, service, secrets)
  }

  private func inResponse(
    _ status: Int, text: String, _ place: ErrorResponse.Place, _ service: Authority.Kind, _ secrets: [String] = []
  ) throws -> ConnectorError {
    let (body, response) = try LocalResponse(status: status, body: Data(text.utf8)).answer(to: URL(filePath: "/"))
    return ErrorResponse(body, response, to: place, at: service, hiding: secrets).asError()
  }

  private let refresh = ErrorResponse.Place.refresh(addsClaims: false)

  // MARK: Errors in a callback

  /// An error in a callback, and its meaning.
  struct Row: Sendable, CustomTestStringConvertible {
    let error: String
    let says: String?
    let subcode: String?
    let services: [Authority.Kind]
    let means: ErrorCode
    let advice: String?
    var testDescription: String { "\(error) \(subcode ?? "") \(says ?? "")" }

    init(
      _ error: String, says: String? = nil, subcode: String? = nil,
      at services: [Authority.Kind] = [.openIDConnect, .entra, .b2c], _ means: ErrorCode, _ advice: String? = nil
    ) {
      (self.error, self.says, self.subcode, self.services) = (error, says, subcode, services)
      (self.means, self.advice) = (means, advice)
    }
  }

  // The meaning of Microsoft's known codes is in `ServiceCodeTests`.
  static let rows: [Row] = [
    // The user, if the provider says so: outside Azure AD B2C by giving no reason, by MSAL's subcode, by the sentences
    // of Auth0 and of Microsoft's personal accounts.
    Row("access_denied", at: [.openIDConnect, .entra, .ciam], .userCancelledInPage),
    Row(
      "access_denied", says: "The resource owner or authorization server denied the request", at: [.openIDConnect],
      .userCancelledInPage),
    Row("access_denied", subcode: "cancel", .userCancelledInPage),
    Row("access_denied", says: "User did not authorize the request", .userCancelledInPage),
    Row(
      "access_denied", says: "The user has denied access to the scope requested by the client application.",
      .userCancelledInPage),
    // Otherwise the server: rules of Auth0 and Okta, a policy's own refusal with words, without, or with unknown codes.
    Row("access_denied", says: "Please verify your email before logging in.", .accessDenied),
    Row("access_denied", says: "User is not assigned to the client application.", .accessDenied),
    Row("access_denied", at: [.b2c], .accessDenied), Row("access_denied", subcode: "other", at: [.b2c], .accessDenied),
    Row("access_denied", says: "AADB2C12345: Text.", at: [.b2c], .accessDenied),
    Row("access_denied", says: "AADB2C90052: Text.", at: [.b2c], .accessDenied),
    Row("access_denied", says: "AADB2C90111: Text.", at: [.b2c], .accessDenied),
    Row("access_denied", says: "AADB2C90151: Text.", at: [.b2c], .accessDenied),
    // Azure AD B2C sends server_error for nearly everything: with a code it is a definite no, without one it may pass.
    Row("server_error", says: "AADB2C90278: Text.", at: [.b2c], .server),
    Row("server_error", says: "AADB2C90206: Text.", at: [.b2c], .serviceUnavailable),
    Row("server_error", says: "AADB2C: An exception has occurred.", .serviceUnavailable),
    Row("temporarily_unavailable", .serviceUnavailable), Row("slow_down", .throttled),
    Row("login_required", .interactionRequired), Row("something_else", .server),
    Row("invalid_client", .configuration, "public client"), Row("unauthorized_client", .configuration, "public client"),
    Row("invalid_scope", .configuration, "scopes"), Row("invalid_resource", .configuration, "API's registration"),
    Row("invalid_target", .configuration, "API's registration"),
  ]

  @Test("An error in a callback has this meaning", arguments: rows)
  func callback(_ row: Row) {
    for service in row.services {
      let error = inCallback(row.error, row.says, subcode: row.subcode, at: service)
      #expect(error.code == row.means, "\(service): \(error)")
      #expect(error.isRetryable == [.serviceUnavailable, .throttled].contains(row.means), "\(service)")
      #expect(error.serverDescription == row.says && error.oauthError == row.error)
      if [.accessDenied, .configuration].contains(row.means) {
        #expect(error.recoverySuggestion?.contains(row.advice ?? " ") == true, "\(error)")
      }
    }
  }

  @Test("An API or scope that the tenant does not know is named, and so is the policy of a mistake in the settings")
  func named() throws {
    let scope = "https://contoso.onmicrosoft.com/tasks/read"
    for error in ["invalid_resource", "invalid_target", "invalid_scope"] {
      #expect(inCallback(error, at: .entra, scopes: [scope]).message.hasSuffix(" The scopes were \(scope)."))
    }
    let policy = try Policy("B2C_1_SignIn")
    for code in ["AADB2C90018", "AADB2C90088"] {
      let error = inCallback("invalid_request", "\(code): Text.", at: .b2c, scopes: [scope], policy: policy)
      #expect(error.message.hasSuffix(" The policy was B2C_1_SignIn."), "\(error)")
    }
    #expect(!inCallback("login_required", at: .b2c, scopes: [scope], policy: policy).message.contains(" was "))
  }

  // MARK: Error responses

  @Test("The provider's words reach the sentence that names the fix, without its ids")
  func wholeWords() throws {
    let said =
      "AADSTS123: Application 'x' (app) is not configured as a multi-tenant application."
      + String(repeating: " More words.", count: 18) + " Use the tenant&#39;s own endpoint."
    let id = "3f2504e0-4f89-11d3-9a0c-0305e82c3301"
    let ids = " Trace ID: \(UUID()) Correlation ID: \(id) Timestamp: 2026-01-01 00:00:00Z"
    let error = try inResponse(
      400, ["error": "invalid_request", "error_description": said + ids], to: .code, at: .entra)
    #expect(error.serverDescription == said.replacing("&#39;", with: "'"))
    #expect(error.correlationID == UUID(uuidString: id))
  }

  @Test("The provider's words are on one line, printable and cut to 400 characters")
  func words() throws {
    let long = "The scope tasks.read is not known." + String(repeating: " Ask the administrator.", count: 30)
    let error = try inResponse(
      400, ["error": "invalid_scope", "error_description": long], to: .code, at: .openIDConnect)
    #expect(error.serverDescription == long.prefix(400).split(separator: " ").dropLast().joined(separator: " "))
    #expect("\(error)".contains("The server said: The scope tasks.read is not known."))
    let evil = "invalid\r\n2026 admin logged in\u{1B}[1A\u{202E}x"
    for error in [
      try inResponse(400, ["error": evil, "error_description": evil, "suberror": evil], to: .code, at: .b2c),
      inCallback(evil, evil, subcode: evil, at: .b2c),
    ] {
      #expect("\(error)".contains("admin logged in"))
      for text in ["\(error)", error.message, error.oauthError ?? "", error.serverDescription ?? ""] {
        #expect(text.unicodeScalars.allSatisfy(PrintableText.isPrintable))
      }
    }
  }

  @Test("The provider's words end in one full stop", arguments: ["Gone", "Gone.", "Why?", "Oh!"])
  func fullStop(_ said: String) throws {
    let error = try inResponse(
      400, ["error": "invalid_grant", "error_description": said], to: refresh, at: .openIDConnect)
    #expect("\(error)".hasSuffix("The server said: \(said == "Gone" ? "Gone." : said) Sign in again."), "\(error)")
  }

  @Test("An error response in full: status, correlation id, claims, the provider's number")
  func members() throws {
    let id = UUID()
    let text =
      #"{"error":"interaction_required","error_codes":[50076],"suberror":"basic_action","#
      + #""correlation_id":"\#(id.uuidString)","claims":"{\"access_token\":{}}"}"#
    let error = try inResponse(400, text: text, refresh, .entra)
    #expect(error.needsInteraction && !error.isRetryable && error.correlationID == id)
    #expect(error.serverCode == "AADSTS50076" && error.status == 400 && error.claims == #"{"access_token":{}}"#)
  }

  static let id = UUID()
  static let correlations: [(lines: [String], isFound: Bool)] = [
    (["AADSTS50058: No session", "Correlation ID: \(id)", "Correlation ID: \(UUID())"], true),
    (["Correlation ID: \(id)"] + Array(repeating: "Correlation ID: x", count: 40_000), true),
    (Array(repeating: "Correlation ID: x", count: 40_000) + ["Correlation ID: \(id)"], false),
    (["AADSTS50058: No session"] + Array(repeating: "", count: 100_000) + ["Correlation ID: \(id)"], false),
    (["Trace ID: \(UUID())", "", "  correlation id :  \(id) "], true),
  ]

  @Test("The first correlation id in a description counts, and no other is looked for", arguments: correlations)
  func correlation(_ lines: [String], _ isFound: Bool) throws {
    let body = ["error": "interaction_required", "error_description": lines.joined(separator: "\r\n")]
    #expect((try inResponse(400, body, to: refresh, at: .entra).correlationID == Self.id) == isFound)
  }

  @Test("A refresh token that is a UUID is not shown as the provider's correlation id")
  func tokenAsCorrelationID() throws {
    let token = UUID().uuidString
    for body in [
      ["error": "interaction_required", "correlation_id": token],
      ["error": "interaction_required", "error_description": "AADSTS50076: Bad.\r\nCorrelation ID: \(token)"],
    ] {
      let error = try inResponse(400, body, to: refresh, at: .entra, hiding: [token])
      #expect(error.correlationID == nil && !"\(error)".lowercased().contains(token.lowercased()))
    }
  }

  // MARK: Other providers

  /// The registered errors of RFC 6749, RFC 6750, RFC 8628, RFC 8707 and OpenID Connect Core, without temporary ones.
  static let registered = [
    "invalid_request", "invalid_client", "invalid_grant", "unauthorized_client", "unsupported_grant_type",
    "invalid_scope", "access_denied", "unsupported_response_type", "invalid_token", "insufficient_scope",
    "authorization_pending", "expired_token", "invalid_target", "interaction_required", "login_required",
    "account_selection_required", "consent_required", "invalid_request_uri", "invalid_request_object",
    "request_not_supported", "request_uri_not_supported", "registration_not_supported",
  ]
  static let bodies =
    ["", "<html>", "[]", "{}", #"{"access_token":""}"#, #"{"access_token":"x","token_type":"mac"}"#]
    + (registered + ["server_error", "temporarily_unavailable", "a_word_of_its_own"]).map { #"{"error":"\#($0)"}"# }

  @Test("An error of a provider that is not Microsoft's does not name Microsoft's things", arguments: bodies)
  func plainIssuer(_ body: String) throws {
    for status in [200, 302, 400, 401, 403, 404, 405, 408, 429, 500, 503] {
      for place in [ErrorResponse.Place.code, .device, refresh, .refresh(addsClaims: true), .callback] {
        let error = try inResponse(status, text: body, place, .openIDConnect)
        #expect(errorTextFaults(error, isPlainIssuer: true) == [], "\(status) \(place): \(error)")
      }
    }
  }
}
