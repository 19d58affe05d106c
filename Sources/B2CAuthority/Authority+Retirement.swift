import B2CCore

extension Authority {
  /// Returns a fault when a policy would run where Azure AD B2C no longer answers.
  ///
  /// Azure AD B2C has left `login.microsoftonline.com` and the other hosts of Entra ID. Without a policy these hosts are
  /// in use; with one they answer an error page that never returns to the app. So it is found before a browser opens.
  ///
  /// - Parameter policy: The policy that is to be used; the authority's own when `nil`.
  /// - Returns: A fault with code `retiredAuthority` whose `suggestion` is the authority to use
  ///   (`nil` when the tenant's name is not known), or `nil` when nothing is wrong.
  package func retirement(for policy: Policy?) -> AuthorityFault? {
    guard let policy = policy ?? self.policy, kind(for: policy) == .b2c, let known = MicrosoftHost(host),
      known.kind == .entra
    else { return nil }
    let suggestion = tenant.flatMap { tenant in
      TenantName.b2cOrigin(of: tenant).map {
        Self.text(origin: $0, tenant: tenant, policy: self.policy, form: form)
      }
    }
    return AuthorityFault(
      message: "Azure AD B2C no longer runs policies on \(host), only on <tenant>.\(known.cloud.b2cDomain).",
      suggestion: suggestion,
      recoverySuggestion: suggestion == nil
        ? "Write the authority as https://contoso.b2clogin.com/contoso.onmicrosoft.com/ with your tenant's name."
        : "Change the authority; the redirect URI stays the same.",
      code: .retiredAuthority)
  }
}
