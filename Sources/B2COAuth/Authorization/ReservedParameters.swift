internal import B2CCore
internal import Foundation

/// The parameters of the protocol, which an app's extra parameters must not replace.
enum ReservedParameters {
  private static let names: Set<String> = [
    "client_id", "response_type", "redirect_uri", "response_mode", "scope", "state", "nonce", "code_challenge",
    "code_challenge_method", "p", "client_info", "request", "request_uri", "grant_type", "code", "code_verifier",
    "refresh_token", "device_code", "client_secret", "client_assertion", "client_assertion_type", "prompt",
    "login_hint", "domain_hint", "ui_locales", "claims", "client-request-id",
  ]

  /// Returns extra parameters in a stable order, or throws if the app must not set one of them.
  static func checked(_ extra: [String: String]) throws(ConnectorError) -> [(name: String, value: String)] {
    // Some servers drop spaces and control characters from a name, which turns it into another name.
    let refused = extra.keys.filter { $0.isEmpty || visible($0) != $0 || names.contains($0.lowercased()) }
    guard refused.isEmpty else {
      let shown = refused.sorted().map { "`\(FormEncoding.escape($0))`" }.joined(separator: ", ")
      throw ConnectorError(
        own: .configuration, "The extra parameter \(shown) has a name that is reserved or not visible ASCII.",
        recoverySuggestion: "Use the option of `SignInOptions` with that name, or another name.")
    }
    return extra.sorted { $0.key < $1.key }.map { (name: $0.key, value: $0.value) }
  }

  /// Returns the first parameter of the protocol that an endpoint's URL already contains.
  ///
  /// No parameter may be sent twice (RFC 6749 section 3.1). `p` does not count, because only Azure AD B2C uses it.
  static func first(in endpoint: URL, or others: Set<String> = []) -> String? {
    let query = endpoint.absoluteString.split(separator: "?", maxSplits: 1).dropFirst().first ?? ""
    return FormEncoding.decode(query).lazy.map { visible($0.name).lowercased() }
      .first { $0 != "p" && (names.contains($0) || others.contains($0)) }
  }

  private static func visible(_ name: String) -> String {
    String(String.UnicodeScalarView(name.unicodeScalars.filter { (0x21...0x7E).contains($0.value) }))
  }
}
