import B2CCore

extension Authority {
  /// Reads a text.
  ///
  /// An error suggests the text without this one fault; the caller drops a suggestion that has another.
  init(reading text: String, kind given: Kind?) throws(AuthorityFault) {
    let text = try AuthorityText(text)
    let known = MicrosoftHost(text.host)
    if TenantName.initialName(of: text.host) != nil {
      throw AuthorityFault(
        .invalidHost, "The authority's host is a tenant's name, which is not a sign-in host.",
        suggestion: TenantName.b2cHome(of: text.host), recoverySuggestion: AuthorityText.example)
    }
    try Self.check(given, against: known, in: text)
    let kind = given ?? known?.kind ?? Self.kindOnOtherHost(text)
    switch kind {
    case .b2c:
      try self.init(withPolicies: text, known: known, isKindGiven: given != nil)
    case .entra where given == nil && Self.carriesPolicy(text):
      try self.init(withPolicies: text, known: known, isKindGiven: false)
    case .entra, .ciam:
      try self.init(withoutPolicies: text, kind: kind, known: known, isKindGiven: given != nil)
    default:
      try self.init(issuer: text, isKindGiven: given != nil)
    }
  }

  private static func check(_ given: Kind?, against known: MicrosoftHost?, in text: AuthorityText)
    throws(AuthorityFault)
  {
    guard let given else { return }
    guard [.b2c, .ciam, .entra, .openIDConnect].contains(given) else {
      throw AuthorityFault(
        .kindMismatch, "The authority's kind is unknown.", recoverySuggestion: "Use b2c, ciam, entra or openIDConnect.")
    }
    // Entra ID's hosts serve all three; the other two families serve one each.
    guard let known, known.kind != .entra, given != known.kind, given != .openIDConnect else { return }
    throw AuthorityFault(
      .kindMismatch, "The host \(text.host) serves \(known.kind.rawValue), not \(given.rawValue).",
      recoverySuggestion: "Leave the kind out: it follows from this host.")
  }

  /// Returns the kind on a custom domain, where only the form tells.
  ///
  /// It is fixed here and not by the metadata, since keys of the token cache, account ids and the metadata's URL depend on
  /// it: a session has to be found offline. Azure AD B2C
  /// answers nothing without a policy, so a tenant alone is External ID.
  private static func kindOnOtherHost(_ text: AuthorityText) -> Kind {
    guard !carriesPolicy(text) else { return .b2c }
    guard let tenant = text.segments.first else { return .openIDConnect }
    let isAlone = text.segments.count == 1 || AuthorityPath.isTail(text.segments.dropFirst())
    if TenantName.initialName(of: tenant) != nil { return isAlone ? .ciam : .b2c }
    return isAlone && GUID.isGUID(tenant) ? .ciam : .openIDConnect
  }

  private static func carriesPolicy(_ text: AuthorityText) -> Bool {
    let segments = text.segments
    return !text.policies.isEmpty || (AuthorityPath.isTrustFramework(segments.first) && segments.count > 1)
      || segments.prefix(2).contains(where: Policy.hasPrefix)
  }

  /// Azure AD B2C, on its own hosts, on a custom domain or on the retired one.
  private init(withPolicies text: AuthorityText, known: MicrosoftHost?, isKindGiven: Bool) throws(AuthorityFault) {
    let path = try AuthorityPath(text, readsAnyPolicy: known?.kind != .entra)
    let form: PolicyForm = path.isTrustFramework ? .tfp : path.policy != nil ? .path : .query
    let policy = try Self.policy(path.policy, text.policies)
    if let known, known.kind == .b2c, known.tenantName == nil {
      let home = path.tenant.flatMap { tenant in
        TenantName.initialName(of: tenant).map {
          Self.text(origin: "https://\($0).\(text.host)", tenant: tenant, policy: policy, form: form)
        }
      }
      throw AuthorityFault(
        .invalidHost, "The authority's host lacks the tenant's name.", suggestion: home,
        recoverySuggestion: AuthorityText.example)
    }
    let home = known?.homeTenant.map { Self.text(origin: text.origin, tenant: $0, policy: policy, form: form) }
    guard let tenant = path.tenant else {
      throw AuthorityFault(
        .missingTenant, "The authority has no tenant after its host.", suggestion: home,
        recoverySuggestion: AuthorityText.example)
    }
    guard !TenantName.shared.contains(tenant.lowercased()) else {
      throw AuthorityFault(
        .invalidTenant, "Policies belong to one tenant, and \(tenant.lowercased()) is not one.", suggestion: home,
        recoverySuggestion: AuthorityText.example)
    }
    try self.init(
      kind: .b2c, isKindGiven: isKindGiven, origin: text.origin, host: text.host, tenant: tenant, policy: policy,
      form: form)
  }

  /// Entra ID and External ID.
  private init(
    withoutPolicies text: AuthorityText, kind: Kind, known: MicrosoftHost?, isKindGiven: Bool
  ) throws(AuthorityFault) {
    let path = try AuthorityPath(text, readsAnyPolicy: false)
    // Every other library for External ID does the same with a host alone.
    let tenant = path.tenant ?? (known?.kind == .ciam ? known?.homeTenant : nil)
    guard !path.isTrustFramework, path.policy == nil, text.policies.isEmpty else {
      throw AuthorityFault(
        .unexpectedPolicy, "The authority contains a policy, and its kind (\(kind.rawValue)) has no policies.",
        suggestion: tenant.map { text.origin + "/" + $0 }, recoverySuggestion: "Remove the policy.")
    }
    guard let tenant else {
      throw AuthorityFault(
        .missingTenant, "The authority has no tenant after its host.",
        suggestion: known?.kind == .entra && kind == .entra ? text.origin + "/common" : nil,
        recoverySuggestion: "Add your tenant's domain or GUID, or common for accounts of any tenant.")
    }
    try self.init(kind: kind, isKindGiven: isKindGiven, origin: text.origin, host: text.host, tenant: tenant)
  }

  /// A generic issuer: its path is kept as it is, except for a pasted metadata or endpoint path.
  private init(issuer text: AuthorityText, isKindGiven: Bool) throws(AuthorityFault) {
    guard text.policies.isEmpty else {
      throw AuthorityFault(
        .unexpectedPolicy, "The authority has the query parameter p, which a generic issuer does not have.",
        suggestion: text.origin + "/" + text.segments.joined(separator: "/"), recoverySuggestion: "Remove the query.")
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
  private static func policy(_ path: String?, _ query: [String]) throws(AuthorityFault) -> Policy? {
    var found: Policy?
    for id in [path].compactMap(\.self) + query {
      let policy: Policy
      do throws(AuthorityFault) {
        policy = try Policy(parsing: id)
      } catch {
        throw AuthorityFault(
          error.kind, "In the authority: " + error.message, recoverySuggestion: error.recoverySuggestion)
      }
      guard found == nil || found?.key == policy.key else {
        throw AuthorityFault(
          .invalidPolicy, "The authority contains two policies.", recoverySuggestion: "Remove one of them.")
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
  init(_ text: AuthorityText, readsAnyPolicy: Bool) throws(AuthorityFault) {
    var rest = text.segments[...]
    isTrustFramework = Self.isTrustFramework(rest.first)
    if isTrustFramework { rest = rest.dropFirst() }
    if let first = rest.first, !Self.startsTail(first), !Policy.hasPrefix(first) {
      let name = FormEncoding.percentDecode(first)
      guard TenantName.isValid(name) else {
        throw AuthorityFault(
          .invalidTenant, "The authority's tenant is not a domain name or a GUID.",
          recoverySuggestion: AuthorityText.example)
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
      throw AuthorityFault(
        .invalidPath, "The authority's path goes on after the tenant or the policy in an unknown form.",
        suggestion: tenant == nil ? nil : text.origin + "/" + known,
        recoverySuggestion: "End the authority after the tenant or the policy.")
    }
  }

  private static func startsTail(_ segment: String) -> Bool {
    tailStarts.contains(segment.lowercased()[...])
  }
}
