import B2CCore

extension Authority {
  /// Reads a text; the caller redacts the fault.
  init(reading text: String, kind given: Kind?) throws(Defect) {
    let text = try AuthorityText(text)
    let known = MicrosoftHost(text.host)
    if TenantName.initialName(of: text.host) != nil {
      throw Defect(
        .invalidHost, "The authority's host is a tenant's name, which is not a sign-in host.",
        corrected: TenantName.b2cHome(of: text.host), recovery: AuthorityText.example)
    }
    try Self.check(given, against: known, in: text)
    switch given ?? known?.kind ?? Self.kindOnOtherHost(text) {
    case .b2c:
      try self.init(withPolicies: text, known: known, isKindGiven: given != nil)
    case .entra where given == nil && Self.carriesPolicy(text):
      try self.init(withPolicies: text, known: known, isKindGiven: false)
    case .entra, .ciam:
      let kind = given ?? known?.kind ?? .entra
      try self.init(withoutPolicies: text, kind: kind, known: known, isKindGiven: given != nil)
    default:
      try self.init(issuer: text, isKindGiven: given != nil)
    }
  }

  private static func check(_ given: Kind?, against known: MicrosoftHost?, in text: AuthorityText) throws(Defect) {
    guard let given else { return }
    guard [.b2c, .ciam, .entra, .openIDConnect].contains(given) else {
      throw Defect(
        .kindMismatch, "The authority's kind is unknown.", recovery: "Use b2c, ciam, entra or openIDConnect.")
    }
    // Entra ID's hosts serve all three; the other two families serve one each.
    guard let known, known.kind != .entra, given != known.kind, given != .openIDConnect else { return }
    throw Defect(
      .kindMismatch, "The host \(text.host) serves \(known.kind.rawValue), not \(given.rawValue).",
      recovery: "Leave the kind out: it follows from this host.")
  }

  private static func kindOnOtherHost(_ text: AuthorityText) -> Kind {
    let isTenant = text.segments.first.map { TenantName.initialName(of: $0) != nil } ?? false
    return isTenant || carriesPolicy(text) ? .b2c : .openIDConnect
  }

  private static func carriesPolicy(_ text: AuthorityText) -> Bool {
    let segments = text.segments
    return !text.policies.isEmpty || (AuthorityPath.isTrustFramework(segments.first) && segments.count > 1)
      || segments.prefix(2).contains(where: Policy.hasPrefix)
  }

  /// Azure AD B2C, on its own hosts, on a custom domain or on the retired one.
  private init(withPolicies text: AuthorityText, known: MicrosoftHost?, isKindGiven: Bool) throws(Defect) {
    let path = try AuthorityPath(text, readsAnyPolicy: known?.kind != .entra)
    let form: PolicyForm = path.isTrustFramework ? .tfp : path.policy != nil ? .path : .query
    let policy = try Self.policy(path.policy, text.policies)
    if let known, known.kind == .b2c, known.tenantName == nil {
      let home = path.tenant.flatMap { tenant in
        TenantName.initialName(of: tenant).map {
          Self.text(origin: "https://\($0).\(text.host)", tenant: tenant, policy: policy, form: form)
        }
      }
      throw Defect(
        .invalidHost, "The authority's host lacks the tenant's name.", corrected: home, recovery: AuthorityText.example)
    }
    let home = known?.homeTenant.map { Self.text(origin: text.origin, tenant: $0, policy: policy, form: form) }
    guard let tenant = path.tenant else {
      throw Defect(
        .missingTenant, "The authority has no tenant after its host.", corrected: home, recovery: AuthorityText.example)
    }
    guard !TenantName.shared.contains(tenant.lowercased()) else {
      throw Defect(
        .invalidTenant, "Policies belong to one tenant, and \(tenant.lowercased()) is not one.", corrected: home,
        recovery: AuthorityText.example)
    }
    try self.init(
      kind: .b2c, isKindGiven: isKindGiven, origin: text.origin, host: text.host, tenant: tenant, policy: policy,
      form: form)
  }

  /// Entra ID and External ID.
  private init(
    withoutPolicies text: AuthorityText, kind: Kind, known: MicrosoftHost?, isKindGiven: Bool
  ) throws(Defect) {
    let path = try AuthorityPath(text, readsAnyPolicy: false)
    // Every other library for External ID does the same with a host alone.
    let tenant = path.tenant ?? (known?.kind == .ciam ? known?.homeTenant : nil)
    guard !path.isTrustFramework, path.policy == nil, text.policies.isEmpty else {
      throw Defect(
        .unexpectedPolicy, "The authority contains a policy, and its kind (\(kind.rawValue)) has no policies.",
        corrected: tenant.map { text.origin + "/" + $0 }, recovery: "Remove the policy.")
    }
    guard let tenant else {
      throw Defect(
        .missingTenant, "The authority has no tenant after its host.",
        corrected: known?.kind == .entra && kind == .entra ? text.origin + "/common" : nil,
        recovery: "Add your tenant's domain or GUID, or common for accounts of any tenant.")
    }
    try self.init(kind: kind, isKindGiven: isKindGiven, origin: text.origin, host: text.host, tenant: tenant)
  }

  /// A generic issuer: its path is kept as it is, except for a pasted metadata or endpoint path.
  private init(issuer text: AuthorityText, isKindGiven: Bool) throws(Defect) {
    guard text.policies.isEmpty else {
      throw Defect(
        .unexpectedPolicy, "The authority has the query parameter p, which a generic issuer does not have.",
        corrected: text.origin + "/" + text.segments.joined(separator: "/"), recovery: "Remove the query.")
    }
    var segments = text.segments[...]
    if segments.suffix(2).map({ $0.lowercased() }) == [".well-known", "openid-configuration"] {
      segments = segments.dropLast(2)
    }
    var tenant: String?
    if let first = segments.first, TenantName.isValid(first) {
      let tail = segments.dropFirst().map { $0.lowercased() }
      if tail.isEmpty || tail == ["v2.0"] {
        tenant = first
      } else if tail.count > 1, AuthorityPath.isTail(tail) {
        // An endpoint's URL: the issuer of a service of Microsoft's shape is the URL that its metadata is below.
        tenant = first
        segments = tail.contains("v2.0") ? [first, "v2.0"] : [first]
      }
    }
    try self.init(
      kind: .openIDConnect, isKindGiven: isKindGiven, origin: text.origin, host: text.host, tenant: tenant,
      issuerPath: segments.map { "/" + $0 }.joined())
  }

  /// Returns the policy of the path or of `?p=`; both at once must be the same.
  private static func policy(_ path: String?, _ query: [String]) throws(Defect) -> Policy? {
    var found: Policy?
    for id in [path].compactMap(\.self) + query {
      let policy: Policy
      do throws(AuthorityError) {
        policy = try Policy(id)
      } catch {
        throw Defect(error.code, "In the authority: " + error.message, recovery: error.recoverySuggestion)
      }
      guard found == nil || found == policy else {
        throw Defect(.invalidPolicy, "The authority contains two policies.", recovery: "Remove one of them.")
      }
      found = found ?? policy
    }
    return found
  }
}

/// The path of an authority on a service of Microsoft's shape: `[tfp/]tenant[/policy][/endpoint]`.
struct AuthorityPath {
  let isTrustFramework: Bool
  let tenant: String?
  let policy: String?

  /// The endpoints that may follow tenant and policy in a pasted URL; they are dropped.
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

  /// Returns whether segments are an endpoint's path after the tenant.
  static func isTail(_ segments: some Collection<String>) -> Bool {
    tails.contains(segments.joined(separator: "/").lowercased())
  }

  static func isTrustFramework(_ segment: String?) -> Bool {
    segment.map { ["tfp", "te"].contains($0.lowercased()) } ?? false
  }

  /// Reads the segments; `readsAnyPolicy` takes the one after the tenant for a policy in any case.
  init(_ text: AuthorityText, readsAnyPolicy: Bool) throws(Defect) {
    var rest = text.segments[...]
    isTrustFramework = Self.isTrustFramework(rest.first)
    if isTrustFramework { rest = rest.dropFirst() }
    if let first = rest.first, !Self.startsTail(first), !Policy.hasPrefix(first) {
      let name = FormEncoding.percentDecode(first)
      guard TenantName.isValid(name) else {
        throw Defect(
          .invalidTenant, "The authority's tenant is not a domain name or a GUID.", recovery: AuthorityText.example)
      }
      tenant = name
      rest = rest.dropFirst()
    } else {
      tenant = nil
    }
    if let next = rest.first, !Self.startsTail(next), readsAnyPolicy || isTrustFramework || Policy.hasPrefix(next) {
      policy = FormEncoding.percentDecode(next)
      rest = rest.dropFirst()
    } else {
      policy = nil
    }
    guard rest.isEmpty || Self.isTail(rest) else {
      let known = text.segments.dropLast(rest.count).joined(separator: "/")
      throw Defect(
        .invalidPath, "The authority's path goes on after the tenant or the policy in an unknown form.",
        corrected: tenant == nil ? nil : text.origin + "/" + known,
        recovery: "End the authority after the tenant or the policy.")
    }
  }

  private static func startsTail(_ segment: String) -> Bool {
    tailStarts.contains(segment.lowercased()[...])
  }
}
