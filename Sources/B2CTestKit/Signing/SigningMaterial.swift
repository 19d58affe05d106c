internal import B2CCore
internal import B2CIDToken
package import Foundation

#if canImport(CryptoKit)
  internal import CryptoKit
#else
  internal import Crypto
#endif

/// A private key that can sign, check and show its public half; one type for each kind of key.
protocol SigningMaterial: Sendable {
  /// The fields of the public key's JWK that depend on the kind (RFC 7518 section 6, RFC 8037 section 2).
  var publicFields: [String: String] { get }

  func signature(for input: Data, algorithm: JWSAlgorithm) throws -> Data

  func isValid(signature: Data, for input: Data, algorithm: JWSAlgorithm) -> Bool
}

/// A key on one of NIST's curves, for ES256, ES384 or ES512.
struct CurveMaterial: SigningMaterial {
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

  func signature(for input: Data, algorithm: JWSAlgorithm) throws -> Data { try sign(input) }

  func isValid(signature: Data, for input: Data, algorithm: JWSAlgorithm) -> Bool { verify(signature, input) }
}

/// An Ed25519 key, for EdDSA.
struct Ed25519Material: SigningMaterial {
  private let key = Curve25519.Signing.PrivateKey()

  var publicFields: [String: String] {
    ["kty": "OKP", "crv": "Ed25519", "x": Base64URL.encode(key.publicKey.rawRepresentation)]
  }

  func signature(for input: Data, algorithm: JWSAlgorithm) throws -> Data {
    try key.signature(for: input)
  }

  func isValid(signature: Data, for input: Data, algorithm: JWSAlgorithm) -> Bool {
    key.publicKey.isValidSignature(signature, for: input)
  }
}

/// Reads a DER sequence of non-negative integers, which is what a PKCS #1 public key is (RFC 8017 appendix A.1.1).
package enum DERIntegers {
  /// The integers' bytes without sign byte, or `nil` for anything else.
  package static func read(_ data: Data) -> [Data]? {
    var bytes = Array(data)[...]
    guard let content = element(tag: 0x30, from: &bytes), bytes.isEmpty else { return nil }
    var rest = content
    var integers: [Data] = []
    while !rest.isEmpty {
      guard let integer = element(tag: 0x02, from: &rest) else { return nil }
      integers.append(Data(integer.drop { $0 == 0 }))
    }
    return integers
  }

  private static func element(tag: UInt8, from bytes: inout ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    guard bytes.popFirst() == tag, let first = bytes.popFirst() else { return nil }
    var length = Int(first)
    if first >= 0x80 {
      let count = Int(first & 0x7F)
      guard (1...4).contains(count), bytes.count >= count else { return nil }
      length = bytes.prefix(count).reduce(0) { $0 << 8 | Int($1) }
      bytes = bytes.dropFirst(count)
    }
    guard bytes.count >= length else { return nil }
    let content = bytes.prefix(length)
    bytes = bytes.dropFirst(length)
    return content
  }
}
