internal import B2CCore
internal import B2COAuth
internal import Foundation

#if canImport(CryptoKit)
  internal import CryptoKit
#else
  internal import Crypto
#endif

/// A P-256 key, for ES256.
struct P256Material: SigningMaterial {
  private let key = P256.Signing.PrivateKey()

  var publicMembers: [String: String] {
    CurvePoint(key.publicKey.rawRepresentation).members(curve: "P-256")
  }

  func signature(for input: Data, algorithm: JWSAlgorithm) throws -> Data {
    try key.signature(for: input).rawRepresentation
  }

  func isValid(signature: Data, for input: Data, algorithm: JWSAlgorithm) -> Bool {
    guard let signature = try? P256.Signing.ECDSASignature(rawRepresentation: signature) else { return false }
    return key.publicKey.isValidSignature(signature, for: input)
  }
}

/// A P-384 key, for ES384.
struct P384Material: SigningMaterial {
  private let key = P384.Signing.PrivateKey()

  var publicMembers: [String: String] {
    CurvePoint(key.publicKey.rawRepresentation).members(curve: "P-384")
  }

  func signature(for input: Data, algorithm: JWSAlgorithm) throws -> Data {
    try key.signature(for: input).rawRepresentation
  }

  func isValid(signature: Data, for input: Data, algorithm: JWSAlgorithm) -> Bool {
    guard let signature = try? P384.Signing.ECDSASignature(rawRepresentation: signature) else { return false }
    return key.publicKey.isValidSignature(signature, for: input)
  }
}

/// A P-521 key, for ES512.
struct P521Material: SigningMaterial {
  private let key = P521.Signing.PrivateKey()

  var publicMembers: [String: String] {
    CurvePoint(key.publicKey.rawRepresentation).members(curve: "P-521")
  }

  func signature(for input: Data, algorithm: JWSAlgorithm) throws -> Data {
    try key.signature(for: input).rawRepresentation
  }

  func isValid(signature: Data, for input: Data, algorithm: JWSAlgorithm) -> Bool {
    guard let signature = try? P521.Signing.ECDSASignature(rawRepresentation: signature) else { return false }
    return key.publicKey.isValidSignature(signature, for: input)
  }
}

/// An Ed25519 key, for EdDSA.
struct Ed25519Material: SigningMaterial {
  private let key = Curve25519.Signing.PrivateKey()

  var publicMembers: [String: String] {
    ["kty": "OKP", "crv": "Ed25519", "x": Base64URL.encode(key.publicKey.rawRepresentation)]
  }

  func signature(for input: Data, algorithm: JWSAlgorithm) throws -> Data {
    try key.signature(for: input)
  }

  func isValid(signature: Data, for input: Data, algorithm: JWSAlgorithm) -> Bool {
    key.publicKey.isValidSignature(signature, for: input)
  }
}

/// The two coordinates of an uncompressed point without its leading byte.
private struct CurvePoint {
  let x: Data
  let y: Data

  init(_ raw: Data) {
    x = raw.prefix(raw.count / 2)
    y = raw.suffix(raw.count / 2)
  }

  func members(curve: String) -> [String: String] {
    ["kty": "EC", "crv": curve, "x": Base64URL.encode(x), "y": Base64URL.encode(y)]
  }
}
