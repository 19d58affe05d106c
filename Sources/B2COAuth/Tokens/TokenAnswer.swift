internal import B2CCore
internal import B2CIDToken
internal import Foundation

/// The answer of the token endpoint, as a record takes it.
struct TokenAnswer: Sendable {
  let response: TokenResponse
  /// The scopes that the caller wants.
  let requested: [String]
  /// The scopes that count as granted where the answer names none (RFC 6749 section 5.1).
  let sent: [String]
  /// When the answer came.
  let at: Date
  /// The claims of its accepted id_token; `nil` where those of the record stay.
  let claims: [String: JSONValue]?
}
