import B2CCore

extension Authority {
  /// Returns a fault when a policy would run where Azure AD B2C no longer answers.
  ///
  /// Azure AD B2C has left `login.microsoftonline.com` and the other hosts of Entra ID. Without a policy these hosts are
  /// in use; with one they answer an error page that never returns to the app. So it is found before a browser opens.
  ///
  /// - Parameter policy: The policy that is to be used; the authority's own when `nil`.
  /// - Returns: A fault of the kind `retiredAuthority` whose `suggestion` is the authority to use
  ///   (`nil` when the tenant's name is not known), or `nil` when nothing is wrong.
  package func retirement(for policy: Policy?) -> AuthorityFault? {
    guard let policy = policy ?? self.policy, kind(for: policy) == .b2c, let known = MicrosoftHost(host),
      known.kind == .entra
    else { return nil }
    let suggestion = (try? migratedFromRetiredHost())?.description
    return AuthorityFault(
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
  /// - Throws: ``AuthorityFault`` with the fault `tenantNameUnknown` when the tenant is a GUID or a
  ///   custom domain, from which the new host does not follow.
  package func migratedFromRetiredHost() throws(AuthorityFault) -> Authority {
    guard let known = MicrosoftHost(host), known.kind == .entra else { return self }
    guard let tenant, let name = TenantName.initialName(of: tenant) else {
      throw AuthorityFault(
        .tenantNameUnknown, "The new host does not follow from the tenant \(tenant ?? "").", value: description,
        recoverySuggestion: "Write the authority as https://contoso.b2clogin.com/contoso.onmicrosoft.com/.")
    }
    let origin = "https://\(name).\(known.cloud.b2cDomain)"
    return try Authority(parsing: Self.text(origin: origin, tenant: tenant, policy: policy, form: form), kind: nil)
  }
}
