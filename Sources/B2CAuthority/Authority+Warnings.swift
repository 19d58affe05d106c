import B2CCore

extension Authority {
  /// Returns warnings about an authority and its policies, which can be used all the same.
  ///
  /// Codes: `internationalizedHost`, `unusualTenant`,
  /// `retiredAuthority` (by the first policy or the authority's) and, for each policy,
  /// `unusualPolicyPrefix` with the policy's id as `value`.
  ///
  /// - Parameter policies: The policies that are to be used.
  /// - Returns: The warnings, if any.
  package func warnings(for policies: [Policy] = []) -> [AuthorityError] {
    var warnings = [hostWarning, tenantWarning, retirement(for: policies.first)]
    if kind(for: policies.first ?? policy) == .b2c { warnings += policies.map(Self.prefixWarning) }
    return warnings.compactMap(\.self)
  }

  /// Letters beyond ASCII can imitate another host's; a developer pastes such a host without seeing it.
  private var hostWarning: AuthorityError? {
    Self.warning(ofHost: host, value: description)
  }

  private static func warning(ofHost host: String, value: String) -> AuthorityError? {
    guard HostName.isInternationalized(host) else { return nil }
    return AuthorityError(
      .internationalizedHost, "The host \(host) is internationalized (xn--) and may imitate another host.",
      value: value, recoverySuggestion: "Compare it with your provider's documentation.")
  }

  /// `https://contoso.b2clogin.com` serves the tenant contoso alone.
  ///
  /// Only a warning: a tenant may have further names. A GUID or a custom domain is no evidence.
  private var tenantWarning: AuthorityError? {
    guard let tenant, let known = MicrosoftHost(host), let name = known.tenantName?.lowercased(),
      let home = known.homeTenant, !GUID.isGUID(name), !GUID.isGUID(tenant),
      Self.isUnusual(tenant.lowercased(), name: name, home: home.lowercased())
    else { return nil }
    return AuthorityError(
      .unusualTenant, "The host belongs to the tenant \(home), but the path names \(tenant).", value: description,
      suggestion: Self.text(origin: origin, tenant: home, policy: policy, form: form),
      recoverySuggestion: "Use the same tenant in host and path.")
  }

  /// Another tenant's first name, a first name without its domain, or one with a typing error in the domain.
  private static func isUnusual(_ tenant: String, name: String, home: String) -> Bool {
    if let other = TenantName.initialName(of: tenant) { return other != name || tenant != home }
    return !tenant.contains(".") || tenant.hasPrefix(name + ".onm") || tenant.contains(".onmicro")
  }

  /// Only a warning: a provider that only resembles Azure AD B2C may name its policies freely.
  private static func prefixWarning(_ policy: Policy) -> AuthorityError? {
    guard !Policy.hasPrefix(policy.id) else { return nil }
    return AuthorityError(
      .unusualPolicyPrefix, "Azure AD B2C starts every policy's id with B2C_1_ or B2C_1A_; this one has neither.",
      value: policy.id, suggestion: "B2C_1_" + policy.id,
      recoverySuggestion: "Copy the whole id from the portal, with its prefix.")
  }
}

extension Authority {
  /// Returns an error when a policy would run where Azure AD B2C no longer answers.
  ///
  /// Azure AD B2C has left `login.microsoftonline.com` and the other hosts of Entra ID. Without a policy these hosts are
  /// in use; with one they answer an error page that never returns to the app. So it is found before a browser opens.
  ///
  /// - Parameter policy: The policy that is to be used; the authority's own when `nil`.
  /// - Returns: An error with code `retiredAuthority` whose `suggestion` is the authority to use
  ///   (`nil` when the tenant's name is not known), or `nil` when nothing is wrong.
  package func retirement(for policy: Policy?) -> AuthorityError? {
    guard let policy = policy ?? self.policy, kind(for: policy) == .b2c, let known = MicrosoftHost(host),
      known.kind == .entra
    else { return nil }
    let suggestion = (try? migratedFromRetiredHost())?.description
    return AuthorityError(
      .retiredAuthority,
      "Azure AD B2C no longer runs policies on \(host), only on <tenant>.\(known.cloud.b2cDomain).", value: description,
      suggestion: suggestion,
      recoverySuggestion: suggestion == nil
        ? "Write the authority as https://contoso.b2clogin.com/contoso.onmicrosoft.com/ with your tenant's name."
        : "Change the authority; the redirect URI stays the same.")
  }

  /// Returns the same tenant on the host where Azure AD B2C runs today.
  ///
  /// - Returns: The authority on `<tenant>.b2clogin.com` (or its cloud's counterpart) with policy and form kept; the
  ///   authority itself when its host is not a retired one.
  /// - Throws: ``AuthorityError`` with the fault `tenantNameUnknown` when the tenant is a GUID or a
  ///   custom domain, from which the new host does not follow.
  package func migratedFromRetiredHost() throws(AuthorityError) -> Authority {
    guard let known = MicrosoftHost(host), known.kind == .entra else { return self }
    guard let tenant, let name = TenantName.initialName(of: tenant) else {
      throw AuthorityError(
        .tenantNameUnknown, "The new host does not follow from the tenant \(tenant ?? "").", value: description,
        recoverySuggestion: "Write the authority as https://contoso.b2clogin.com/contoso.onmicrosoft.com/.")
    }
    let origin = "https://\(name).\(known.cloud.b2cDomain)"
    return try Authority(Self.text(origin: origin, tenant: tenant, policy: policy, form: form))
  }
}

extension Authority {
  /// Checks an entry of ``trustedHosts``, which must be a plain host name.
  ///
  /// - Parameter text: The entry.
  /// - Returns: A warning with the fault `internationalizedHost`, if there is reason for it.
  /// - Throws: ``AuthorityError`` with the fault `invalidHost`, and with the host in `suggestion` where
  ///   the entry contains one: `login.contoso.com` for `https://login.contoso.com/` and `login.contoso.com:8443`.
  @discardableResult
  package static func checkTrustedHost(_ text: String) throws(AuthorityError) -> AuthorityError? {
    guard (try? HostName.read(text)) == nil || text.contains("[") else { return warning(ofHost: text, value: text) }
    let host = URLParts(text.contains("//") ? text : "//" + text).host
    let suggestion = host.flatMap { host in (try? HostName.read(host)).flatMap { $0.contains(":") ? nil : $0 } }
    throw AuthorityError(
      .invalidHost, "The entry is not a plain host name, so no host of the metadata can match it.",
      value: ShownText.show(text), suggestion: suggestion,
      recoverySuggestion: "Write the host alone, without scheme, port and path, such as login.contoso.com.")
  }
}
