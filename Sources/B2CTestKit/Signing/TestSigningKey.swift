package import B2CCore
package import B2CIDToken
package import Foundation

/// A private key for tests: makes itself, shows its public half as a JWK, signs tokens.
///
/// The key never leaves the process, and nothing outside a test may trust it.
package struct TestSigningKey: Sendable {
  /// The algorithm it signs with.
  package let algorithm: JWSAlgorithm
  /// The key's id (`kid`).
  package let id: String
  /// The public key as a JWK (RFC 7517): `kty`, `kid`, `use` and the numbers, without `alg`, as Azure AD B2C has it.
  package let jwk: [String: JSONValue]

  private let sign: @Sendable (Data) throws -> Data

  /// Makes a key from its parts.
  ///
  /// - Parameters:
  ///   - algorithm: The algorithm to sign with.
  ///   - publicFields: The fields of the public key's JWK that depend on the kind (RFC 7518 section 6, RFC 8037 section 2).
  ///   - id: The key's id; drawn at random for `nil`.
  ///   - sign: Signs in JWS form (RFC 7518 section 3).
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
  ///   - header: Fields to add to the header, or to put in place of `alg`, `kid` and `typ`; `null` leaves one out.
  /// - Returns: The token.
  /// - Throws: The system's error when it refuses to sign.
  package func token(claims: [String: JSONValue], header: [String: JSONValue] = [:]) throws -> String {
    let usual: [String: JSONValue] = ["alg": .string(algorithm.rawValue), "kid": .string(id), "typ": "JWT"]
    let fields = usual.merging(header) { $1 }.filter { $0.value != .null }
    let input = Base64URL.encode(LocalJSON.data(fields)) + "." + Base64URL.encode(LocalJSON.data(claims))
    return input + "." + Base64URL.encode(try sign(Data(input.utf8)))
  }

  /// The key that new tenants sign with, made once since that is slow in a debug build; `nil` when the system could make none.
  static let shared = try? TestSigningKey()
}
