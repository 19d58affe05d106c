internal import B2CCore
package import B2CIDToken
package import B2CTestKit
package import Foundation

#if canImport(CryptoKit)
  internal import CryptoKit
#else
  internal import Crypto
#endif

extension TestSigningKey {
  /// Makes a fresh key for an algorithm: RS256, or one of a curve.
  package static func any(_ algorithm: JWSAlgorithm, id: String? = nil) throws -> TestSigningKey {
    switch algorithm {
    case .es256:
      let key = P256.Signing.PrivateKey()
      return nist(algorithm, key.publicKey.rawRepresentation, id) { try key.signature(for: $0).rawRepresentation }
    case .es384:
      let key = P384.Signing.PrivateKey()
      return nist(algorithm, key.publicKey.rawRepresentation, id) { try key.signature(for: $0).rawRepresentation }
    case .es512:
      let key = P521.Signing.PrivateKey()
      return nist(algorithm, key.publicKey.rawRepresentation, id) { try key.signature(for: $0).rawRepresentation }
    case .edDSA:
      let key = Curve25519.Signing.PrivateKey()
      let x = Base64URL.encode(key.publicKey.rawRepresentation)
      return TestSigningKey(algorithm, ["kty": "OKP", "crv": "Ed25519", "x": x], id: id) { try key.signature(for: $0) }
    default: return try TestSigningKey(id: id)
    }
  }

  /// A key on one of NIST's curves, from the two coordinates of its point, one after the other.
  private static func nist(
    _ algorithm: JWSAlgorithm, _ point: Data, _ id: String?, sign: @escaping @Sendable (Data) throws -> Data
  ) -> TestSigningKey {
    let curves: [JWSAlgorithm: String] = [.es256: "P-256", .es384: "P-384", .es512: "P-521"]
    let (x, y) = (Base64URL.encode(point.prefix(point.count / 2)), Base64URL.encode(point.suffix(point.count / 2)))
    return TestSigningKey(algorithm, ["kty": "EC", "crv": curves[algorithm] ?? "", "x": x, "y": y], id: id, sign: sign)
  }

  package static func keySet(_ keys: [TestSigningKey]) throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return try encoder.encode(JSONValue.object(["keys": .array(keys.map { .object($0.jwk) })]))
  }

  /// Whether a token names this key and its algorithm, and is signed with it; no claim is looked at.
  package func verifies(_ token: String) -> Bool {
    guard let token = try? IDToken(compact: Secret(token)), let set = try? JWKSet(json: Self.keySet([self])) else {
      return false
    }
    return (try? token.verifySignature(keys: set, allowed: [algorithm])) != nil
  }
}

extension JWSAlgorithm {
  package static let ps256 = Self(rawValue: "PS256")
  package static let ps384 = Self(rawValue: "PS384")
  package static let es256 = Self(rawValue: "ES256")
  package static let es384 = Self(rawValue: "ES384")
  package static let es512 = Self(rawValue: "ES512")
  package static let edDSA = Self(rawValue: "EdDSA")
}
