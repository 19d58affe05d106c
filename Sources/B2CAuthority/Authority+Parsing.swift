import B2CCore

extension Authority {
  /// Reads a text.
  ///
  /// An error suggests the text without this one fault; the caller drops a suggestion that has another.
  init(reading text: String, kind given: Kind?) throws(AuthorityFault) {
    let text = try AuthorityText(text)
    let known = MicrosoftHost(text.host)
    if let origin = TenantName.b2cOrigin(of: text.host) {
      throw AuthorityFault(
        message: "The authority's host is a tenant's name, which is not a sign-in host.",
        suggestion: "\(origin)/\(text.host)/", recoverySuggestion: AuthorityText.example)
    }
    // Entra ID's hosts serve all three; the other two families serve one each.
    if let given, let known, known.kind != .entra, given != known.kind, given != .openIDConnect {
      throw AuthorityFault(
        message: "The host \(text.host) serves \(known.kind.rawValue), not \(given.rawValue).",
        recoverySuggestion: "Leave the kind out: it follows from this host.")
    }
    switch given ?? known?.kind ?? Self.kindOnOtherHost(text) {
    case .entra where given == nil && Self.carriesPolicy(text), .b2c:
      try self.init(withPolicies: text, known: known, isKindGiven: given != nil)
    case .openIDConnect:
      try self.init(issuer: text, isKindGiven: given != nil)
    case let kind:
      try self.init(withoutPolicies: text, kind: kind, known: known, isKindGiven: given != nil)
    }
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
    if TenantName.b2cOrigin(of: tenant) != nil { return isAlone ? .ciam : .b2c }
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
    let policy = try Self.policy([path.policy].compactMap(\.self) + text.policies)
    if let known, known.kind == .b2c, known.tenantName == nil {
      let home = path.tenant.flatMap { tenant in
        TenantName.b2cOrigin(of: tenant).map { Self.text(origin: $0, tenant: tenant, policy: policy, form: form) }
      }
      throw AuthorityFault(
        message: "The authority's host lacks the tenant's name.", suggestion: home,
        recoverySuggestion: AuthorityText.example)
    }
    guard let tenant = path.tenant, !TenantName.shared.contains(tenant.lowercased()) else {
      throw AuthorityFault(
        message: "The authority does not name the tenant whose policies are used.",
        suggestion: known?.homeTenant.map { Self.text(origin: text.origin, tenant: $0, policy: policy, form: form) },
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
        message: "The authority contains a policy, and its kind (\(kind.rawValue)) has no policies.",
        suggestion: tenant.map { text.origin + "/" + $0 }, recoverySuggestion: "Remove the policy.")
    }
    guard let tenant else {
      throw AuthorityFault(
        message: "The authority has no tenant after its host.",
        suggestion: known?.kind == .entra && kind == .entra ? text.origin + "/common" : nil,
        recoverySuggestion: "Add your tenant's domain or GUID, or common for accounts of any tenant.")
    }
    try self.init(kind: kind, isKindGiven: isKindGiven, origin: text.origin, host: text.host, tenant: tenant)
  }

  /// A generic issuer: its path is kept as it is, except for a pasted metadata or endpoint path.
  private init(issuer text: AuthorityText, isKindGiven: Bool) throws(AuthorityFault) {
    guard text.policies.isEmpty else {
      throw AuthorityFault(
        message: "The authority has the query parameter p, which a generic issuer does not have.",
        suggestion: text.origin + "/" + text.segments.joined(separator: "/"), recoverySuggestion: "Remove the query.")
    }
    var segments = text.segments[...]
    if segments.suffix(2).map({ $0.lowercased() }) == [".well-known", "openid-configuration"] {
      segments = segments.dropLast(2)
    }
    let tail = segments.dropFirst().map { $0.lowercased() }
    var tenant = segments.first.flatMap { AuthorityText.isDNSName($0) ? $0 : nil }
    // `/oauth2` alone is the path of some issuers.
    if !tail.isEmpty && (!AuthorityPath.isTail(tail) || tail == ["oauth2"]) { tenant = nil }
    // An endpoint's URL: the issuer of a service of Microsoft's shape is the URL that its metadata is below.
    if let tenant, tail.count > 1 { segments = tail.contains("v2.0") ? [tenant, "v2.0"] : [tenant] }
    try self.init(
      kind: .openIDConnect, isKindGiven: isKindGiven, origin: text.origin, host: text.host, tenant: tenant,
      issuerPath: segments.map { "/" + $0 }.joined())
  }

  /// Returns the policy of the path or of `?p=`; several must be the same.
  private static func policy(_ ids: [String]) throws(AuthorityFault) -> Policy? {
    guard let id = ids.first else { return nil }
    guard let policy = try? Policy(id), ids.allSatisfy({ $0.lowercased() == policy.key }) else {
      throw AuthorityFault(
        message: "The authority contains two policies, or a policy id with characters that no policy has.",
        recoverySuggestion: "A policy id looks like B2C_1_SignIn.")
    }
    return policy
  }
}

/// The path of an authority on a service of Microsoft's shape: `[tfp/]tenant[/policy][/endpoint]`.
struct AuthorityPath {
  let isTrustFramework: Bool
  let tenant: String?
  let policy: String?

  private static let tailStarts: Set<String> = ["v2.0", "oauth2", ".well-known", "discovery", "openid"]

  /// Returns whether segments are an endpoint's path after the tenant, which is dropped from a pasted URL.
  static func isTail(_ segments: some Collection<String>) -> Bool {
    let endpoint =
      #/
      v2\.0 | oauth2 (?: /v2\.0 )? (?: / (?: authorize | token | logout | devicecode | authresp ) )?
      | (?: v2\.0/ )? \.well-known/openid-configuration | discovery (?: /v2\.0 )? /keys | openid/v2\.0/userinfo
      /#
    return segments.joined(separator: "/").wholeMatch(of: endpoint.ignoresCase()) != nil
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
      guard AuthorityText.isDNSName(first) else {
        throw AuthorityFault(
          message: "The authority's tenant is not a domain name or a GUID.", recoverySuggestion: AuthorityText.example)
      }
      tenant = first
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
        message: "The authority's path goes on after the tenant or the policy in an unknown form.",
        suggestion: tenant == nil ? nil : text.origin + "/" + known,
        recoverySuggestion: "End the authority after the tenant or the policy.")
    }
  }

  private static func startsTail(_ segment: String) -> Bool { tailStarts.contains(segment.lowercased()) }
}
