package import B2CCore
package import Foundation

/// The public keys of an issuer or of one of its policies (RFC 7517 section 5).
package struct JWKSet: Sendable {
  /// The largest number of keys that are read, which is far more than any issuer publishes.
  package static let maximumCount = 64
  /// The largest size of a key set in bytes.
  package static let maximumLength = 1024 * 1024

  /// The keys in the published order, without entries of unknown types.
  package let keys: [JSONWebKey]

  /// Reads a key set and prepares its keys.
  ///
  /// - Parameter json: The document at `jwks_uri`.
  /// - Throws: ``ConnectorError`` with code `invalidResponse` if the document is not a key set.
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
