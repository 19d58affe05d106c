internal import B2CCore
public import Foundation

/// Where the tenant is, and how settings name it.
extension LocalTenant {
  /// How a policy stands in an authority.
  public enum AuthorityForm: Sendable, Hashable, CaseIterable {
    /// `<origin>/<domain>/`, the policy in the query as `?p=`: the tutorial's form.
    case query
    /// `<origin>/<domain>/<policy>`.
    case path
    /// `<origin>/tfp/<domain>/<policy>`.
    case tfp
  }

  /// The origin for requests in memory, such as `https://contoso.b2clogin.com`.
  public var inMemoryOrigin: URL { LocalURL.make("https://" + inMemoryHosts[0]) }

  /// The origin over loopback HTTP while the tenant is started, else ``inMemoryOrigin``.
  public var origin: URL { state.withLock { $0.front }?.url ?? inMemoryOrigin }

  /// The text that settings have as `authority`.
  ///
  /// - Parameters:
  ///   - form: How a policy stands in it; only Azure AD B2C has policies.
  ///   - policy: The policy for the path and tfp forms; without it the text ends at the tenant.
  /// - Returns: The authority at ``origin``.
  public func authority(form: AuthorityForm = .query, policy: LocalPolicy? = nil) -> String {
    let base = LocalOrigin.text(origin)
    switch (shape, form) {
    case (.openIDConnect, _): return base
    case (.entra, _), (.ciam, _): return "\(base)/\(domain)"
    case (.b2c, .query): return "\(base)/\(domain)/"
    case (.b2c, .path): return "\(base)/\(domain)" + (policy.map { "/" + $0.id } ?? "")
    case (.b2c, .tfp): return "\(base)/tfp/\(domain)" + (policy.map { "/" + $0.id } ?? "")
    }
  }

  /// The issuer of tokens that were asked for at ``origin``.
  public var issuer: String { issuer(origin: LocalOrigin.text(origin)) }

  /// Every issuer the tenant's tokens may have, on either front.
  public var issuers: Set<String> {
    let fronts = [inMemoryOrigin, origin].map { issuer(origin: LocalOrigin.text($0)) }
    return Set(fronts)
  }

  /// Where the Graph-like API answers: `https://graph.microsoft.com` in memory, ``origin`` over loopback HTTP.
  ///
  /// Only the shape ``Shape/entra`` has one.
  public var graphURL: URL {
    state.withLock { $0.front }?.url ?? LocalURL.make("https://graph.microsoft.com")
  }

  /// Whether a request is meant for this tenant, by scheme, host and port.
  ///
  /// - Parameter url: Where the request goes.
  /// - Returns: Whether the tenant answers for that origin.
  public func serves(_ url: URL) -> Bool {
    let text = LocalOrigin.text(url)
    if text == LocalOrigin.text(origin) { return true }
    return inMemoryHosts.contains { text == "https://" + $0 }
  }

  func issuer(origin: String) -> String {
    switch shape {
    case .b2c: return "\(origin)/\(tenantID)/v2.0/"
    case .entra: return "\(origin)/\(tenantID)/v2.0"
    case .ciam:
      let isInMemory = inMemoryHosts.contains { origin == "https://" + $0 }
      return (isInMemory ? "https://\(tenantID).ciamlogin.com" : origin) + "/\(tenantID)/v2.0"
    case .openIDConnect: return origin
    }
  }

  private var inMemoryHosts: [String] {
    let name = tenantName.lowercased()
    switch shape {
    case .b2c: return [name + ".b2clogin.com"]
    case .entra: return ["login.microsoftonline.com", "graph.microsoft.com"]
    case .ciam: return [name + ".ciamlogin.com", tenantID + ".ciamlogin.com"]
    case .openIDConnect: return [name + ".example"]
    }
  }
}
