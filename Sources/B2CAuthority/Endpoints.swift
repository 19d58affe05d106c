import B2CCore
package import Foundation

/// The URLs of an authority for one policy, which are the only ones that the SDK calls besides those in metadata.
package struct Endpoints: Sendable, Hashable {
  /// The OpenID Connect metadata document.
  package let metadata: URL
  /// The page at which the user signs in, or `nil` if only the metadata names it.
  package let authorization: URL?
  /// The endpoint that redeems codes and refresh tokens, or `nil` if only the metadata names it.
  package let token: URL?
  /// The page that ends the user's browser session, or `nil` if only the metadata names it.
  package let endSession: URL?
  /// The endpoint for device codes (RFC 8628).
  ///
  /// It is known only for Entra ID. Other providers name theirs in the metadata or have none.
  package let deviceAuthorization: URL?

  /// Builds the URLs.
  ///
  /// They are also built for the retired host, on which Azure AD B2C no longer runs.
  ///
  /// - Parameters:
  ///   - authority: The authority.
  ///   - policy: The policy, which replaces the one in the authority's text but keeps its form.
  /// - Throws: ``ConnectorError`` with code `configuration` if Azure AD B2C is used without a policy, if another kind
  ///   is used with one, or if a policy is used with an authority that names no single tenant.
  package init(authority: Authority, policy: Policy?) throws(ConnectorError) {
    let policy = policy ?? authority.policy
    let kind = authority.kind(for: policy)
    if kind != .b2c, let policy {
      throw ConnectorError(
        own: .configuration, "The policy \(policy.id) cannot be used with an authority of the kind \(kind.rawValue).",
        recoverySuggestion: "Leave the policy out, or use an Azure AD B2C authority.")
    }
    let (before, after) =
      kind == .b2c ? try Self.place(of: policy, at: authority) : (authority.origin + authority.path, "")
    func url(_ path: String) throws(ConnectorError) -> URL {
      guard let url = URL(string: before + path + after) else {
        throw ConnectorError(own: .configuration, "The authority and the path \(path) do not form a URL.")
      }
      return url
    }
    let isKnown = kind.isMicrosoft
    metadata = try url((isKnown ? "/v2.0" : "") + "/.well-known/openid-configuration")
    authorization = isKnown ? try url("/oauth2/v2.0/authorize") : nil
    token = isKnown ? try url("/oauth2/v2.0/token") : nil
    endSession = isKnown ? try url("/oauth2/v2.0/logout") : nil
    deviceAuthorization = kind == .entra ? try url("/oauth2/v2.0/devicecode") : nil
  }

  /// Returns the text before and after the path of an endpoint.
  private static func place(
    of policy: Policy?, at authority: Authority
  ) throws(ConnectorError) -> (before: String, after: String) {
    guard let policy else {
      throw ConnectorError(
        own: .configuration, "The Azure AD B2C authority cannot be used without a policy.",
        recoverySuggestion: "Name a policy, for example B2C_1_SignIn."
          + (MicrosoftHost(authority.host) == nil
            ? " If this is External ID on a custom domain, set `authorityKind` to `ciam`." : ""))
    }
    guard let tenant = authority.tenant, !TenantName.shared.contains(tenant.lowercased()) else {
      throw ConnectorError(
        own: .configuration,
        "The policy \(policy.id) cannot be used, because the authority does not name its tenant.",
        recoverySuggestion: AuthorityText.example)
    }
    return Authority.parts(origin: authority.origin, tenant: tenant, policy: policy, form: authority.form)
  }
}

extension Endpoints {
  /// Adds parameters to the query of a URL.
  ///
  /// Every character except `A-Z a-z 0-9 - . _ ~` is percent-encoded, so that all servers read `+`, `;`, `'` and
  /// letters beyond ASCII correctly. A fragment is removed, because an endpoint has none (RFC 6749 section 3.1).
  ///
  /// - Parameters:
  ///   - parameters: The names and values in order, not encoded.
  ///   - url: The URL, whose own query comes first and is not changed.
  /// - Returns: The URL with both.
  /// - Throws: ``ConnectorError`` with code `configuration` if they form no URL, because a request must not be sent
  ///   without its parameters.
  package static func appending(
    _ parameters: [(name: String, value: String)], to url: URL
  ) throws(ConnectorError) -> URL {
    guard !parameters.isEmpty else { return url }
    let text = url.absoluteString.prefix { $0 != "#" }
    let joint = !text.contains("?") ? "?" : text.hasSuffix("?") || text.hasSuffix("&") ? "" : "&"
    guard let whole = URL(string: text + joint + FormEncoding.encode(parameters)) else {
      throw ConnectorError(own: .configuration, "The endpoint and its parameters do not form a URL.")
    }
    return whole
  }
}
