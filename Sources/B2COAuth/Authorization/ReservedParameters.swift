/// The parameters that the protocol owns: an app's extra ones may not stand in their place.
enum ReservedParameters {
  private static let names: Set<String> = [
    "client_id", "response_type", "redirect_uri", "response_mode", "scope", "state", "nonce", "code_challenge",
    "code_challenge_method", "p", "client_info", "request", "request_uri", "grant_type", "code", "code_verifier",
    "refresh_token", "device_code", "client_secret", "client_assertion", "client_assertion_type", "prompt",
    "login_hint", "domain_hint", "ui_locales", "claims", "client-request-id",
  ]

  /// Gives extra parameters in a stable order, or says which of them are not the app's to set.
  static func checked(_ extra: [String: String]) throws(OAuthError) -> [(name: String, value: String)] {
    let refused = extra.keys.filter { names.contains($0.lowercased()) }.sorted()
    guard refused.isEmpty else {
      throw OAuthError(
        .reservedParameter, "Extra parameters may not set \(refused.joined(separator: ", ")).",
        recoverySuggestion: "Use the option of that name, or leave the parameter out.")
    }
    return extra.sorted { $0.key < $1.key }.map { (name: $0.key, value: $0.value) }
  }
}
