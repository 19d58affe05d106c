extension Authority {
  /// The cloud that the host belongs to; `nil` for a host that is not Microsoft's.
  public var cloud: Cloud? { MicrosoftHost(host)?.cloud }

  /// Whether the host is the developer's own (or this machine) and not one of Microsoft's.
  public var isCustomDomain: Bool { MicrosoftHost(host) == nil }

  /// The tenant as a GUID in lower case, when it was written so.
  ///
  /// `consumers` stands for one known tenant, that of all personal accounts.
  public var tenantID: String? {
    guard let tenant = tenant?.lowercased() else { return nil }
    if kind == .entra, tenant == "consumers" { return TenantName.consumers }
    return TenantName.isGUID(tenant) ? tenant : nil
  }
}
