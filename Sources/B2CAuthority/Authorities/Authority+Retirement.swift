extension Authority {
  /// Whether a policy would be run where Azure AD B2C no longer answers.
  ///
  /// Azure AD B2C has left `login.microsoftonline.com` and the other hosts of Entra ID. Without a policy these hosts are
  /// alive; with one they answer an error page that never comes back to the app. So it is found before a browser opens.
  ///
  /// - Parameter policy: The policy that is to be used; the authority's own when `nil`.
  /// - Returns: An error with code ``AuthorityError/Code/retiredAuthority`` that names the authority to use in its
  ///   `suggestion` (`nil` when the tenant's name is not known), or `nil` when nothing is wrong.
  public func retirement(for policy: Policy?) -> AuthorityError? {
    guard let policy = policy ?? self.policy, kind(for: policy) == .b2c, let known = MicrosoftHost(host),
      known.kind == .entra
    else { return nil }
    let suggestion = (try? migratedFromRetiredHost())?.description
    let home = known.cloud.b2cDomain.map { "<tenant>." + $0 } ?? "its present host"
    return AuthorityError(
      .retiredAuthority, "Azure AD B2C no longer runs policies on \(host); it does on \(home).", value: description,
      suggestion: suggestion,
      recoverySuggestion: suggestion == nil
        ? "Write the authority as https://contoso.b2clogin.com/contoso.onmicrosoft.com/ with your tenant's name."
        : "Change the authority, or take what migratedFromRetiredHost() gives; the redirect URI stays the same.")
  }

  /// The same tenant on the host where Azure AD B2C runs today.
  ///
  /// - Returns: The authority on `<tenant>.b2clogin.com` (or its cloud's counterpart) with policy and form kept; the
  ///   authority itself when its host is not a retired one.
  /// - Throws: ``AuthorityError`` with code ``AuthorityError/Code/tenantNameUnknown`` when the tenant is a GUID or a
  ///   domain of its own, from which the new host cannot be told, or its cloud has no Azure AD B2C.
  public func migratedFromRetiredHost() throws(AuthorityError) -> Authority {
    guard let known = MicrosoftHost(host), known.kind == .entra else { return self }
    guard let tenant, let name = TenantName.initialName(of: tenant), let domain = known.cloud.b2cDomain else {
      throw AuthorityError(
        .tenantNameUnknown, "The new host cannot be told from the tenant \(tenant ?? "").", value: description,
        recoverySuggestion: "Write the authority as https://contoso.b2clogin.com/contoso.onmicrosoft.com/.")
    }
    let origin = "https://\(name).\(domain)"
    return try Authority(Self.text(origin: origin, tenant: tenant, policy: policy, form: form))
  }
}
