import B2CCore
import Foundation

extension Authority {
  /// Returns whether metadata fetched from this authority may name an issuer.
  ///
  /// Metadata comes from the configured host over TLS without a redirect, so that host is trusted. A generic issuer has to
  /// name itself as it is configured, except for a slash at the end (OpenID Connect Discovery 1.0 section 4.3). Microsoft's
  /// services never comply with that: there the id_token has to carry the issuer that this host publishes, all URLs but that
  /// of the keys are built here, and where the authority names its tenant by GUID, the issuer has that GUID in its path.
  ///
  /// - Parameters:
  ///   - issuer: The metadata's `issuer`.
  ///   - policy: The policy whose metadata it is; the authority's own when `nil`.
  /// - Returns: Whether the issuer belongs to this authority.
  package func accepts(issuer: String, policy: Policy? = nil) -> Bool {
    if kind(for: policy ?? self.policy) == .openIDConnect {
      let named = issuer.hasSuffix("/") ? issuer.dropLast() : issuer[...]
      let (start, path) = (named.prefix(origin.count), named.dropFirst(origin.count))
      return ASCIIText.isSameIgnoringCase(String(start), origin) && ASCIIText.isSame(String(path), issuerPath)
    }
    guard let id = tenant.flatMap({ GUID.folded($0) }) else { return true }
    return URLComponents(string: issuer)?.path.split(separator: "/").contains { $0.lowercased() == id } ?? false
  }
}
