internal import B2CCore
public import Foundation

/// The addresses of the tenant, and its authority in the settings.
extension LocalTenant {
  /// How an authority names its policy.
  public enum AuthorityForm: Sendable, Hashable, CaseIterable {
    /// `<origin>/<domain>/`, with the policy in the query as `?p=`, as in Microsoft's tutorial.
    case query
    /// `<origin>/<domain>/<policy>`.
    case path
    /// `<origin>/tfp/<domain>/<policy>`.
    case tfp
  }

  private var domain: String { tenantName + ".onmicrosoft.com" }

  /// The names of the tenant in a path, in lower case.
  var names: Set<String> {
    let own: Set = [domain.lowercased(), tenantID]
    return shape == .entra ? own.union(["common", "organizations", "consumers"]) : own
  }

  /// The origin for requests in memory, for example `https://contoso.b2clogin.com`.
  package var inMemoryOrigin: URL { LocalURL.make(inMemoryOrigins[0]) }

  /// The origin over loopback HTTP while the tenant is started, and otherwise the origin for requests in memory.
  public var origin: URL { front.url ?? inMemoryOrigin }

  /// Returns the text for `authority` in the settings.
  ///
  /// - Parameters:
  ///   - form: How the text names the policy, by default ``AuthorityForm/query``. Only Azure AD B2C has policies.
  ///   - policy: The policy for the forms `path` and `tfp`. With `nil`, the default, the text ends with the tenant.
  /// - Returns: The authority, at ``origin``.
  public func authority(form: AuthorityForm = .query, policy: LocalPolicy? = nil) -> String {
    let base = LocalURL.origin(origin)
    guard shape == .b2c else { return shape == .openIDConnect ? base : "\(base)/\(domain)" }
    let end = form == .query ? "/" : policy.map { "/" + $0.id } ?? ""
    return base + (form == .tfp ? "/tfp/" : "/") + domain + end
  }

  /// The issuer of tokens that are requested at ``origin``.
  public var issuer: String { issuer(origin: LocalURL.origin(origin)) }

  /// The issuers that the tenant's tokens may have, in memory and over loopback HTTP.
  package var issuers: Set<String> { Set([inMemoryOrigin, origin].map { issuer(origin: LocalURL.origin($0)) }) }

  /// Returns whether the tenant serves a URL's scheme, host and port.
  ///
  /// - Parameter url: The URL of a request.
  /// - Returns: Whether requests to the URL are for this tenant.
  public func serves(_ url: URL) -> Bool {
    (inMemoryOrigins + [LocalURL.origin(origin)]).contains(LocalURL.origin(url))
  }

  func issuer(origin: String) -> String {
    switch shape {
    case .b2c: return "\(origin)/\(tenantID)/v2.0/"
    case .entra: return "\(origin)/\(tenantID)/v2.0"
    case .ciam:
      // External ID names this host as issuer even if it is reached at another host, for example a custom URL domain.
      let isOwn = customDomain != nil || inMemoryOrigins.contains(origin)
      return (isOwn ? "https://\(tenantID).ciamlogin.com" : origin) + "/\(tenantID)/v2.0"
    case .openIDConnect: return origin
    }
  }

  private var inMemoryOrigins: [String] {
    let name = tenantName.lowercased()
    let hosts =
      switch shape {
      case .b2c: [customDomain, name + ".b2clogin.com"]
      case .entra: ["login.microsoftonline.com"]
      case .ciam: [customDomain, name + ".ciamlogin.com", tenantID + ".ciamlogin.com"]
      case .openIDConnect: [name + ".example"]
      }
    return hosts.compactMap { $0.map { "https://" + $0 } }
  }
}
