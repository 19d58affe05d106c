import Foundation

/// Which `iss` an id_token may have.
package enum IssuerExpectation: Sendable, Hashable {
  /// This text and no other, to the last slash.
  case exact(String)
  /// One of these texts, for an authority that is known to sign under several names.
  case anyOf(Set<String>)
  /// This text with `{tenantid}` replaced by the token's `tid`, as Entra ID's `common` publishes it.
  case template(String)

  /// Takes the `issuer` of a discovery document, which is a template when it has `{tenantid}` in it.
  package init(published issuer: String) {
    self = issuer.range(of: Self.placeholder, options: .caseInsensitive) == nil ? .exact(issuer) : .template(issuer)
  }

  private static let placeholder = "{tenantid}"

  func accepts(_ issuer: String, tenantID: String?) -> Bool {
    switch self {
    case .exact(let expected): ASCIIText.isSame(issuer, expected)
    case .anyOf(let expected): expected.contains { ASCIIText.isSame(issuer, $0) }
    case .template(let template):
      // Only a GUID is a tenant; any other text could turn the template into another address.
      if let tenantID, UUID(uuidString: tenantID) != nil {
        ASCIIText.isSame(
          issuer,
          template.replacingOccurrences(of: Self.placeholder, with: tenantID, options: .caseInsensitive))
      } else {
        false
      }
    }
  }

  /// Whether a callback may name this issuer (RFC 9207 section 2.4); where a template is published, of any tenant.
  func accepts(callbackIssuer issuer: String) -> Bool {
    let tenant = issuer.split(separator: "/").first { UUID(uuidString: String($0)) != nil }
    return accepts(issuer, tenantID: tenant.map(String.init))
  }
}
