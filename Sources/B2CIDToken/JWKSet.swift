package import B2CCore
package import Foundation

/// The public keys of an issuer or of one of its policies (RFC 7517 section 5).
package struct JWKSet: Sendable {
  /// The most keys that are read; no issuer publishes nearly as many.
  package static let maximumCount = 64
  /// The most bytes a key set may have.
  package static let maximumLength = 1024 * 1024

  /// The keys, in the order published; entries of unknown kinds are left out.
  package let keys: [JSONWebKey]

  /// Reads a key set and makes its keys ready.
  ///
  /// - Parameter json: The document behind `jwks_uri`.
  /// - Throws: ``ConnectorError`` with code `invalidResponse` when the document is not a key set.
  package init(json: Data) throws(ConnectorError) {
    guard json.count <= Self.maximumLength else {
      throw ConnectorError(own: .invalidResponse, "The issuer's key set has more than \(Self.maximumLength) bytes.")
    }
    guard let fields = try? JSONReader.object(json), let entries = fields["keys"]?.array else {
      throw ConnectorError(own: .invalidResponse, "The issuer's key set is not a JSON object with an array of keys.")
    }
    keys = Array(entries.lazy.compactMap(\.object).compactMap(JSONWebKey.init).prefix(Self.maximumCount))
  }
}
