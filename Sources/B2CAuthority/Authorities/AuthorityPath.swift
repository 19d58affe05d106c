import B2CCore

/// The path of an authority on a service of Microsoft's shape: `[tfp/]tenant[/policy][/endpoint]`.
struct AuthorityPath {
  let isTrustFramework: Bool
  let tenant: String?
  let policy: String?

  /// What may follow tenant and policy in a pasted URL; it is dropped.
  private static let tails: Set<String> = {
    let endpoints = ["authorize", "token", "logout", "devicecode", "authresp"]
    let oauth = endpoints.flatMap { ["oauth2/" + $0, "oauth2/v2.0/" + $0] }
    let rest = [
      "v2.0", "oauth2", "oauth2/v2.0", ".well-known/openid-configuration", "v2.0/.well-known/openid-configuration",
      "discovery/keys", "discovery/v2.0/keys", "openid/v2.0/userinfo",
    ]
    return Set(oauth + rest)
  }()

  private static let tailStarts = Set(tails.map { $0.prefix { $0 != "/" } })

  /// Whether segments are an endpoint's path behind the tenant.
  static func isTail(_ segments: some Collection<String>) -> Bool {
    tails.contains(segments.joined(separator: "/").lowercased())
  }

  /// Reads the segments; `readsAnyPolicy` takes the one behind the tenant for a policy whatever it looks like.
  init(_ text: AuthorityText, readsAnyPolicy: Bool) throws(Defect) {
    var rest = text.segments[...]
    isTrustFramework = rest.first.map { ["tfp", "te"].contains($0.lowercased()) } ?? false
    if isTrustFramework { rest = rest.dropFirst() }
    if let first = rest.first, !Self.startsTail(first), !Policy.hasPrefix(first) {
      let name = FormEncoding.unescape(first)
      guard TenantName.isValid(name) else {
        throw Defect(
          .invalidTenant, "The authority's tenant is no domain name and no GUID.", recovery: AuthorityText.example)
      }
      tenant = name
      rest = rest.dropFirst()
    } else {
      tenant = nil
    }
    if let next = rest.first, !Self.startsTail(next),
      readsAnyPolicy || isTrustFramework || Policy.hasPrefix(next)
    {
      policy = FormEncoding.unescape(next.replacing("+", with: "%2B"))
      rest = rest.dropFirst()
    } else {
      policy = nil
    }
    guard rest.isEmpty || Self.isTail(rest) else {
      let known = text.segments.dropLast(rest.count).joined(separator: "/")
      throw Defect(
        .invalidPath, "The authority's path goes on in a way that no known form does.",
        mended: tenant == nil ? nil : text.origin + "/" + known,
        recovery: "An authority ends behind the tenant or the policy.")
    }
  }

  private static func startsTail(_ segment: String) -> Bool {
    tailStarts.contains(segment.lowercased()[...])
  }
}
