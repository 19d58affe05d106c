internal import B2CCore
public import Foundation

/// The place of the tenant, and its names in settings.
extension LocalTenant {
  /// The place of a policy in an authority.
  public enum AuthorityForm: Sendable, Hashable, CaseIterable {
    /// `<origin>/<domain>/`, the policy in the query as `?p=`: the tutorial's form.
    case query
    /// `<origin>/<domain>/<policy>`.
    case path
    /// `<origin>/tfp/<domain>/<policy>`.
    case tfp
  }

  private var domain: String { tenantName + ".onmicrosoft.com" }

  /// The ways to write the tenant in a path, in lower case.
  var names: Set<String> {
    let own: Set = [domain.lowercased(), tenantID]
    return shape == .entra ? own.union(["common", "organizations", "consumers"]) : own
  }

  /// The origin for requests in memory, such as `https://contoso.b2clogin.com`.
  package var inMemoryOrigin: URL { LocalURL.make(inMemoryOrigins[0]) }

  /// The origin over loopback HTTP while the tenant is started, else that for requests in memory.
  public var origin: URL { front.url ?? inMemoryOrigin }

  /// The text that settings have as `authority`.
  ///
  /// - Parameters:
  ///   - form: The place of the policy; only Azure AD B2C has policies.
  ///   - policy: The policy for the path and tfp forms; without it the text ends at the tenant.
  /// - Returns: The authority at ``origin``.
  public func authority(form: AuthorityForm = .query, policy: LocalPolicy? = nil) -> String {
    let base = LocalURL.origin(origin)
    guard shape == .b2c else { return shape == .openIDConnect ? base : "\(base)/\(domain)" }
    let end = form == .query ? "/" : policy.map { "/" + $0.id } ?? ""
    return base + (form == .tfp ? "/tfp/" : "/") + domain + end
  }

  /// The issuer of tokens that were asked for at ``origin``.
  public var issuer: String { issuer(origin: LocalURL.origin(origin)) }

  /// Every issuer the tenant's tokens may have, on either front.
  package var issuers: Set<String> { Set([inMemoryOrigin, origin].map { issuer(origin: LocalURL.origin($0)) }) }

  /// Whether a request is meant for this tenant, by scheme, host and port.
  ///
  /// - Parameter url: The URL of the request.
  /// - Returns: Whether the tenant answers for that origin.
  public func serves(_ url: URL) -> Bool {
    (inMemoryOrigins + [LocalURL.origin(origin)]).contains(LocalURL.origin(url))
  }

  func issuer(origin: String) -> String {
    switch shape {
    case .b2c: return "\(origin)/\(tenantID)/v2.0/"
    case .entra: return "\(origin)/\(tenantID)/v2.0"
    case .ciam:
      // The service names this host whichever it was asked on, a custom URL domain too.
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
