package import B2CCore
package import B2CIDToken
package import Foundation

/// A private key for tests, which signs tokens and returns its public half as a JWK.
///
/// The private key never leaves the process. Only tests should trust it.
package struct TestSigningKey: Sendable {
  /// The algorithm of the key's signatures.
  package let algorithm: JWSAlgorithm
  /// The key's id (`kid`).
  package let id: String
  /// The public key as a JWK (RFC 7517), with `kty`, `kid`, `use` and the numbers, but without `alg`, as Azure AD B2C
  /// publishes it.
  package let jwk: [String: JSONValue]

  private let sign: @Sendable (Data) throws -> Data

  /// Creates a key from its parts.
  ///
  /// - Parameters:
  ///   - algorithm: The algorithm of the signatures.
  ///   - publicFields: The fields of the JWK that depend on the kind of key (RFC 7518 section 6, RFC 8037 section 2).
  ///   - id: The key's id, or `nil` for a random one.
  ///   - sign: Returns the signature of its input in the form of JWS (RFC 7518 section 3).
  package init(
    _ algorithm: JWSAlgorithm, _ publicFields: [String: String], id: String?,
    sign: @escaping @Sendable (Data) throws -> Data
  ) {
    self.algorithm = algorithm
    self.id = id ?? RandomText.make()
    jwk = publicFields.merging(["kid": self.id, "use": "sig"]) { $1 }.mapValues(JSONValue.string)
    self.sign = sign
  }

  /// Signs claims as a compact JWS (RFC 7515 section 7.1).
  ///
  /// - Parameters:
  ///   - claims: The payload.
  ///   - header: Header fields to add or to replace (`alg`, `kid` and `typ` are always there). A `null` value removes a
  ///     field.
  /// - Returns: The token.
  /// - Throws: The system's error if it cannot sign.
  package func token(claims: [String: JSONValue], header: [String: JSONValue] = [:]) throws -> String {
    let usual: [String: JSONValue] = ["alg": .string(algorithm.rawValue), "kid": .string(id), "typ": "JWT"]
    let fields = usual.merging(header) { $1 }.filter { $0.value != .null }
    let input = Base64URL.encode(LocalJSON.data(fields)) + "." + Base64URL.encode(LocalJSON.data(claims))
    return input + "." + Base64URL.encode(try sign(Data(input.utf8)))
  }

  /// The key of all new tenants, which share it because creating one is slow in a debug build, or `nil` if the system
  /// could not create it.
  static let shared = try? TestSigningKey()
}
