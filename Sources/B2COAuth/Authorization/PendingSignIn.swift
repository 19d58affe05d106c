internal import B2CAuthority
internal import B2CCore
public import Foundation

/// A sign-in that has begun and whose callback has not arrived, which any connector with the same settings can finish.
///
/// Keep it secret until the sign-in has ended, because it proves who began it. On a server, seal it in a cookie of the
/// browser that began the sign-in. In an app, keep it with the tokens, for example in the keychain.
///
/// You can encode it with any coder and any strategy for keys, dates and data. ``url`` is left out, because it follows
/// from the other values, so that the cookie is small. See <doc:SignIn> and <doc:Servers>.
public struct PendingSignIn: Codable, Sendable {
  /// Each key is one word, because a coder with a key strategy would not find `redirectURI` again.
  private enum CodingKeys: String, CodingKey {
    case endpoint, authority, scopes, query, state, nonce, verifier, begun
    case clientID = "client", redirectURI = "redirect", policyID = "policy", policyKind = "kind"
    case additionalScopes = "additional", addsOfflineAccess = "offline", userID = "user", correlationID = "correlation"
  }

  let endpoint: URL
  let authority: String
  let clientID: String
  let redirectURI: URL
  let policyID: String?
  let policyKind: String?
  /// The requested scopes of the API.
  let scopes: [String]
  let additionalScopes: [String]
  let addsOfflineAccess: Bool
  /// The form-encoded parameters of the sign-in page that not every sign-in has.
  let query: String
  /// The id of the user who must sign in, or `nil` if any user may.
  let userID: String?
  let state: Secret
  let nonce: Secret
  let verifier: Secret
  let correlationID: UUID
  /// The start in seconds since 1970, because the encoding of a `Date` depends on the coder's strategy.
  let begun: TimeInterval
}

extension PendingSignIn {
  /// The URL of the sign-in page.
  public var url: URL { url(redirectURI: redirectURI) }

  /// Returns the URL of the sign-in page for a redirect URI.
  func url(redirectURI: URL) -> URL {
    let parameters: [(name: String, value: String)] = [
      ("client_id", clientID), ("response_type", "code"), ("redirect_uri", redirectURI.absoluteString),
      ("response_mode", "query"),
      ("scope", Scopes.forRequest(scopes + additionalScopes, offlineAccess: addsOfflineAccess).joined(separator: " ")),
      ("state", state.value), ("nonce", nonce.value),
      ("code_challenge", PKCE.challenge(of: verifier)), ("code_challenge_method", "S256"),
    ]
    return (try? Endpoints.appending(parameters + FormEncoding.decode(query), to: endpoint)) ?? endpoint
  }
}

extension PendingSignIn: Redacted {
  /// The policy and the time when the sign-in began, without secrets.
  public var description: String {
    "PendingSignIn(policy \(PrintableText.plain(policyID ?? "none")), begun \(Date(timeIntervalSince1970: begun)))"
  }
}
