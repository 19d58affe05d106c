package import B2CCore
package import B2CIDToken
package import Foundation

/// A private key for tests: makes itself, shows its public half as a JWK, signs tokens.
///
/// ```swift
/// let key = try TestSigningKey()
/// let token = try key.token(claims: ["iss": .string("https://issuer.example"), "sub": .string("1")])
/// ```
/// Such a key never leaves the process, and nothing outside a test may trust it.
package struct TestSigningKey: Sendable {
  /// The algorithm it signs with.
  package let algorithm: JWSAlgorithm
  /// The key's id (`kid`).
  package let id: String

  private let material: any SigningMaterial

  /// Makes a fresh RSA key of 2048 bits for RS256, which takes about a tenth of a second.
  ///
  /// - Parameter id: The key's id; drawn at random unless said otherwise.
  /// - Throws: An error when the system cannot make one.
  package init(id: String? = nil) throws {
    self.init(.rs256, try RSAMaterial(), id: id)
  }

  /// Makes a key of another kind.
  ///
  /// - Parameters:
  ///   - algorithm: The algorithm to sign with.
  ///   - material: The private key.
  ///   - id: The key's id; drawn at random unless said otherwise.
  package init(_ algorithm: JWSAlgorithm, _ material: any SigningMaterial, id: String? = nil) {
    self.algorithm = algorithm
    self.material = material
    self.id = id ?? RandomText.make(bytes: 16)
  }

  /// The public key as a JWK (RFC 7517): `kty`, `kid`, `use` and the numbers, without `alg`, as Azure AD B2C has it.
  package var jwk: [String: JSONValue] {
    var fields = material.publicFields.mapValues(JSONValue.string)
    fields["kid"] = .string(id)
    fields["use"] = .string("sig")
    return fields
  }

  /// Signs claims as a compact JWS (RFC 7515 section 7.1).
  ///
  /// - Parameters:
  ///   - claims: The payload.
  ///   - header: Fields to add to the header, or to put in place of `alg`, `kid` and `typ`; `null` leaves one out.
  /// - Returns: The token.
  /// - Throws: The system's error when it refuses to sign.
  package func token(claims: [String: JSONValue], header: [String: JSONValue] = [:]) throws -> String {
    var fields: [String: JSONValue] = [
      "alg": .string(algorithm.rawValue), "kid": .string(id), "typ": .string("JWT"),
    ]
    fields.merge(header) { $1 }
    fields = fields.filter { $0.value != .null }
    let input = Base64URL.encode(LocalJSON.data(fields)) + "." + Base64URL.encode(LocalJSON.data(claims))
    return input + "." + Base64URL.encode(try material.signature(for: Data(input.utf8)))
  }

  /// Says whether this key signed a token.
  ///
  /// - Parameter token: A compact JWS.
  /// - Returns: Whether the header names this key's algorithm and the signature is right; no claim is looked at.
  package func verifies(_ token: String) -> Bool {
    guard let parsed = LocalToken(token), parsed.header["alg"]?.string == algorithm.rawValue else { return false }
    return material.isValid(signature: parsed.signature, for: parsed.signedPart)
  }
}

extension TestSigningKey {
  /// The key that new tenants sign with, made once since that is slow in a debug build; `nil` when the system could make none.
  static let shared = try? TestSigningKey()
}

/// A compact JWS taken apart, nothing checked.
struct LocalToken {
  let header: [String: JSONValue]
  let claims: [String: JSONValue]
  let signedPart: Data
  let signature: Data

  init?(_ text: String) {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3, let header = LocalJSON.object(Base64URL.decode(parts[0])),
      let claims = LocalJSON.object(Base64URL.decode(parts[1])), let signature = Base64URL.decode(parts[2])
    else { return nil }
    self.header = header
    self.claims = claims
    self.signature = signature
    signedPart = Data((parts[0] + "." + parts[1]).utf8)
  }
}

/// A private key that can sign, check and show its public half; one type for each kind of key.
package protocol SigningMaterial: Sendable {
  /// The fields of the public key's JWK that depend on the kind (RFC 7518 section 6, RFC 8037 section 2).
  var publicFields: [String: String] { get }

  /// Signs in JWS form (RFC 7518 section 3).
  func signature(for input: Data) throws -> Data

  func isValid(signature: Data, for input: Data) -> Bool
}
