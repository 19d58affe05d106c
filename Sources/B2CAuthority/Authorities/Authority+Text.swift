import B2CCore

extension Authority: CustomStringConvertible {
  /// The authority as a developer writes it: the shortest text from which the same authority is read.
  ///
  /// A kind that was given beside the text has to be given again.
  public var description: String {
    guard kind != .openIDConnect, let tenant else { return origin + issuerPath }
    return Self.text(origin: origin, tenant: tenant, policy: policy, form: form)
  }

  static func text(origin: String, tenant: String, policy: Policy?, form: PolicyForm) -> String {
    let start = origin + (form == .tfp ? "/tfp/" : "/") + tenant + "/"
    guard let id = policy.map({ FormEncoding.escape($0.id) }) else { return start }
    return start + (form == .query ? "?p=" : "") + id
  }

  /// The authority in the form that cache keys use: lower-cased scheme, host, port and tenant, without policy.
  ///
  /// The path of a generic issuer keeps its case unless it is a single tenant's name: there `/realms/A` and `/realms/a`
  /// may be two issuers.
  public var cacheID: String {
    tenant.map { origin.lowercased() + "/" + $0.lowercased() } ?? (origin.lowercased() + issuerPath)
  }

  /// Another copy that puts policies at another place of the URLs.
  ///
  /// - Parameter form: Where the policy stands.
  /// - Returns: The same authority with that form.
  public func using(_ form: PolicyForm) -> Authority {
    var copy = self
    copy.form = form
    return copy
  }
}

extension Authority: Hashable {
  /// Compares what the authorities mean, without regard to case.
  ///
  /// - Parameters:
  ///   - left: One authority.
  ///   - right: The other.
  /// - Returns: Whether both lead to the same place in the same form.
  public static func == (left: Authority, right: Authority) -> Bool {
    left.cacheID == right.cacheID && left.issuerPath == right.issuerPath && left.kind == right.kind
      && left.isKindGiven == right.isKindGiven && left.policy == right.policy && left.form == right.form
      && left.trustedHosts == right.trustedHosts
  }

  /// Hashes what the authority means, without regard to case.
  ///
  /// - Parameter hasher: The hasher to feed.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(cacheID)
    hasher.combine(policy)
    hasher.combine(form)
  }
}
