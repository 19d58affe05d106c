internal import B2CCore
internal import Foundation

/// A wish for a new access token.
///
/// Wishes with the same ``flight`` are met by one refresh.
struct RefreshRequest: Sendable {
  let key: TokenCacheKey
  let scopes: [String]
  /// Tokens that are known to be bad, or not wanted any more.
  let passedOver: Set<Secret>
  let extra: [FormField]
  let correlationID: UUID

  struct Flight: Hashable, Sendable {
    let key: TokenCacheKey
    let scopes: Set<String>
    let extra: [FormField]
  }

  var flight: Flight { Flight(key: key, scopes: Scopes.ofAPI(scopes), extra: extra) }
}

/// One field of a form.
struct FormField: Hashable, Sendable {
  let name: String
  let value: String

  init(_ name: String, _ value: String) {
    self.name = name
    self.value = value
  }
}
