internal import Foundation

/// An authorize request that was found good (RFC 6749 section 4.1.1, RFC 7636 section 4.3, OpenID Connect Core 3.1.2.1).
struct AuthorizeRequest: Sendable {
  enum ResponseMode: String, Sendable { case query, fragment, formPost = "form_post" }

  let clientID: String
  let redirectURI: String
  let responseMode: ResponseMode
  let scopes: [String]
  let state: String?
  let nonce: String?
  let codeChallenge: String?
  let prompts: Set<String>
  let loginHint: String?
  let domainHint: String?
  let wantsClientInfo: Bool
}

extension LocalTenant {
  private static let knownPrompts: Set<String> = ["none", "login", "consent", "select_account", "create"]

  /// Checks who asks and where the answer would go; until both are known nothing is redirected.
  func checkClient(_ query: [String: String]) throws -> (clientID: String, redirectURI: String) {
    guard let client = query["client_id"], !client.isEmpty else { throw LocalRefusal.missingClient }
    guard client.lowercased() == clientID.lowercased() else { throw LocalRefusal.unknownClient(client) }
    let registered = redirectURIs
    guard !registered.isEmpty else { throw LocalRefusal.noRedirectURIs }
    guard let uri = query["redirect_uri"], isRegistered(uri, among: registered) else {
      throw LocalRefusal.unknownRedirectURI(query["redirect_uri"] ?? "")
    }
    return (client, uri)
  }

  /// Checks everything else; what is wrong here is told by redirect.
  func checkRequest(
    _ query: [String: String], clientID: String, redirectURI: String
  ) throws -> AuthorizeRequest {
    let responseType = query["response_type"] ?? ""
    guard responseType == "code" else { throw LocalRefusal.responseType(responseType) }
    let modeText = query["response_mode"] ?? "query"
    guard let mode = AuthorizeRequest.ResponseMode(rawValue: modeText) else {
      throw LocalRefusal.responseMode(modeText)
    }
    let scopes = (query["scope"] ?? "").split(separator: " ").map(String.init)
    guard !scopes.isEmpty else { throw LocalRefusal.missingScope }
    _ = try classify(scopes)
    let prompts = Set((query["prompt"] ?? "").split(separator: " ").map(String.init))
    guard prompts.isSubset(of: Self.knownPrompts), !prompts.contains("none") || prompts.count == 1 else {
      throw LocalRefusal.prompt(query["prompt"] ?? "")
    }
    if behavior.enforcesPKCE { try checkChallenge(query) }
    return AuthorizeRequest(
      clientID: clientID, redirectURI: redirectURI, responseMode: mode, scopes: scopes, state: query["state"],
      nonce: query["nonce"], codeChallenge: query["code_challenge"], prompts: prompts,
      loginHint: query["login_hint"], domainHint: query["domain_hint"], wantsClientInfo: query["client_info"] == "1")
  }

  private func checkChallenge(_ query: [String: String]) throws {
    guard let challenge = query["code_challenge"], !challenge.isEmpty else { throw LocalRefusal.missingChallenge }
    // RFC 7636 section 4.3: without a method the challenge is plain, and plain protects nothing.
    guard query["code_challenge_method"] == "S256" else { throw LocalRefusal.challengeMethod }
    guard PKCE.isWellFormed(challenge), challenge.utf8.count == 43 else { throw LocalRefusal.malformedChallenge }
  }

  private func isRegistered(_ uri: String, among registered: [String]) -> Bool {
    if registered.contains(uri) { return true }
    // RFC 8252 section 7.3 lets a native app choose its loopback port; Azure AD B2C does not.
    guard shape != .b2c, let plain = LoopbackRedirect.withoutPort(uri) else { return false }
    return registered.contains { LoopbackRedirect.withoutPort($0) == plain }
  }
}
