extension Authority {
  /// A warning when the tenant does not seem to be the one that the host names, with the authority that was probably
  /// meant.
  ///
  /// `https://contoso.b2clogin.com` serves the tenant contoso alone. It is no refusal: a tenant may have been given further
  /// names. A tenant written as its GUID or as a domain of its own says nothing, nor does a custom domain.
  public var tenantWarning: AuthorityError? {
    guard let tenant, let known = MicrosoftHost(host), let name = known.tenantName?.lowercased(),
      let home = known.homeTenant, !TenantName.isGUID(name), !TenantName.isGUID(tenant),
      Self.isDoubtful(tenant.lowercased(), name: name, home: home.lowercased())
    else { return nil }
    return AuthorityError(
      .unusualTenant, "The host is the one of the tenant \(home), and the path names \(tenant).", value: description,
      suggestion: Self.text(origin: origin, tenant: home, policy: policy, form: form),
      recoverySuggestion: "Give host and path the same tenant.")
  }

  /// Another tenant's first name, a first name without its domain, or one with a slip in the domain.
  private static func isDoubtful(_ tenant: String, name: String, home: String) -> Bool {
    if let other = TenantName.initialName(of: tenant) { return other != name || tenant != home }
    return !tenant.contains(".") || tenant.hasPrefix(name + ".onm") || tenant.contains(".onmicro")
  }
}
