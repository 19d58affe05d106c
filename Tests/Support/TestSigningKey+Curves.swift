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
    case .es256: TestSigningKey(algorithm, CurveMaterial.p256(), id: id)
    case .es384: TestSigningKey(algorithm, CurveMaterial.p384(), id: id)
    case .es512: TestSigningKey(algorithm, CurveMaterial.p521(), id: id)
    case .edDSA: TestSigningKey(algorithm, Ed25519Material(), id: id)
    default: try TestSigningKey(id: id)
    }
  }

  /// The JSON text of a key set (RFC 7517 section 5).
  package static func keySet(_ keys: [TestSigningKey]) throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return try encoder.encode(JSONValue.object(["keys": .array(keys.map { .object($0.jwk) })]))
  }
}

/// A key on one of NIST's curves, for ES256, ES384 or ES512.
private struct CurveMaterial: SigningMaterial {
  let publicFields: [String: String]
  private let sign: @Sendable (Data) throws -> Data
  private let verify: @Sendable (_ signature: Data, _ input: Data) -> Bool

  static func p256() -> CurveMaterial {
    let key = P256.Signing.PrivateKey()
    return CurveMaterial(
      "P-256", key.publicKey.rawRepresentation, sign: { try key.signature(for: $0).rawRepresentation },
      verify: { signature, input in
        (try? P256.Signing.ECDSASignature(rawRepresentation: signature)).map {
          key.publicKey.isValidSignature($0, for: input)
        } ?? false
      })
  }

  static func p384() -> CurveMaterial {
    let key = P384.Signing.PrivateKey()
    return CurveMaterial(
      "P-384", key.publicKey.rawRepresentation, sign: { try key.signature(for: $0).rawRepresentation },
      verify: { signature, input in
        (try? P384.Signing.ECDSASignature(rawRepresentation: signature)).map {
          key.publicKey.isValidSignature($0, for: input)
        } ?? false
      })
  }

  static func p521() -> CurveMaterial {
    let key = P521.Signing.PrivateKey()
    return CurveMaterial(
      "P-521", key.publicKey.rawRepresentation, sign: { try key.signature(for: $0).rawRepresentation },
      verify: { signature, input in
        (try? P521.Signing.ECDSASignature(rawRepresentation: signature)).map {
          key.publicKey.isValidSignature($0, for: input)
        } ?? false
      })
  }

  /// Takes the two coordinates of a point, one after the other.
  private init(
    _ curve: String, _ point: Data, sign: @escaping @Sendable (Data) throws -> Data,
    verify: @escaping @Sendable (Data, Data) -> Bool
  ) {
    publicFields = [
      "kty": "EC", "crv": curve, "x": Base64URL.encode(point.prefix(point.count / 2)),
      "y": Base64URL.encode(point.suffix(point.count / 2)),
    ]
    self.sign = sign
    self.verify = verify
  }

  func signature(for input: Data) throws -> Data { try sign(input) }

  func isValid(signature: Data, for input: Data) -> Bool { verify(signature, input) }
}

/// An Ed25519 key, for EdDSA.
private struct Ed25519Material: SigningMaterial {
  private let key = Curve25519.Signing.PrivateKey()

  var publicFields: [String: String] {
    ["kty": "OKP", "crv": "Ed25519", "x": Base64URL.encode(key.publicKey.rawRepresentation)]
  }

  func signature(for input: Data) throws -> Data {
    try key.signature(for: input)
  }

  func isValid(signature: Data, for input: Data) -> Bool {
    key.publicKey.isValidSignature(signature, for: input)
  }
}
