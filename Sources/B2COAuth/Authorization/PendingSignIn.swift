internal import B2CAuthority
internal import B2CCore
public import Foundation

/// A sign-in that has begun and whose callback has not come: any connector with the same settings can finish it.
///
/// It is a secret until the sign-in has ended, since it proves who began it. A server seals it in a cookie of the browser
/// that began the sign-in; an app keeps it where it keeps its tokens. Coding leaves out ``url``, which follows from the
/// rest, so that the cookie stays small. Every coder can be used, with any strategy for keys, dates and data.
public struct PendingSignIn: Codable, Sendable {
  /// One word each, because coders with a key strategy would not find `redirectURI` again.
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
  /// The scopes of the API that are requested.
  let scopes: [String]
  let additionalScopes: [String]
  let addsOfflineAccess: Bool
  /// The parameters of the page that not every sign-in has, form-encoded.
  let query: String
  /// Who has to sign in; `nil` when anyone may.
  let userID: String?
  let state: Secret
  let nonce: Secret
  let verifier: Secret
  let correlationID: UUID
  /// In seconds since 1970, because a date depends on the strategy of its coder.
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
  /// The policy and the time; nothing secret.
  public var description: String {
    "PendingSignIn(policy \(PrintableText.plain(policyID ?? "none")), begun \(Date(timeIntervalSince1970: begun)))"
  }
}
