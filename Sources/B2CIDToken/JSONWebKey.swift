#if canImport(CryptoKit)
  import CryptoKit
#else
  import Crypto
#endif

import B2CCore

/// A public key of an issuer (RFC 7517), prepared once so that each check of a signature is cheap.
package struct JSONWebKey: Sendable {
  /// The `kid`.
  package let keyID: String?
  /// The only algorithm that the key may be used for, if the issuer names one.
  package let algorithm: JWSAlgorithm?
  /// The prepared key, or the reason why it cannot be used.
  package let material: Result<VerificationKey, Unsuitability>

  /// The reason why a published key is not used.
  package struct Unsuitability: Error, Sendable, Hashable { let detail: String }

  /// The reason why the key is not used, as the rest of a sentence after "the key", or `nil` if it is used.
  package var unsuitability: String? {
    if case .failure(let unsuitability) = material { unsuitability.detail } else { nil }
  }

  /// Whether the key can verify signatures of one of the algorithms.
  package func canVerify(anyOf algorithms: Set<JWSAlgorithm>) -> Bool {
    algorithms.contains { (try? verificationKey(for: $0)) != nil }
  }

  /// Reads an entry of a key set, or returns `nil` if its type is not one for public-key signatures.
  init?(_ fields: [String: JSONValue]) {
    guard let type = fields["kty"]?.string, ["RSA", "EC", "OKP"].contains(type) else { return nil }
    keyID = fields["kid"]?.string
    algorithm = (fields["alg"]?.string).map(JWSAlgorithm.init)
    do throws(Unsuitability) {
      try Self.checkPurpose(fields)
      material = .success(try Self.verificationKey(type: type, fields))
    } catch {
      material = .failure(error)
    }
  }

  /// Returns the key for an algorithm, so that no header can make an RSA key verify an ECDSA signature.
  func verificationKey(for token: JWSAlgorithm) throws(Unsuitability) -> VerificationKey {
    let key = try material.get()
    guard algorithm.map({ $0 == token }) ?? true, token.scheme.map(key.fits) ?? false else {
      throw Unsuitability(detail: "does not fit the token's alg")
    }
    return key
  }

  /// Checks that the issuer allows the key for signatures (RFC 7517 sections 4.2 and 4.3).
  private static func checkPurpose(_ fields: [String: JSONValue]) throws(Unsuitability) {
    if let use = fields["use"], use != "sig" { throw Unsuitability(detail: "is not for signatures") }
    if let operations = fields["key_ops"], operations.array?.contains("verify") != true {
      throw Unsuitability(detail: "is not for verifying")
    }
  }
}

extension JSONWebKey {
  /// Prepares the key, or throws the reason why it is not used.
  static func verificationKey(type: String, _ fields: [String: JSONValue]) throws(Unsuitability) -> VerificationKey {
    switch type {
    case "RSA": try rsaKey(fields)
    case "EC": try ellipticCurveKey(fields)
    default: try edwardsCurveKey(fields)
    }
  }

  private static func bytes(_ name: String, of fields: [String: JSONValue]) throws(Unsuitability) -> [UInt8] {
    guard let text = fields[name]?.string, let bytes = Base64URL.decode(text), !bytes.isEmpty else {
      throw Unsuitability(detail: "has no usable \(name)")
    }
    return Array(bytes)
  }

  /// Prepares an RSA key of 2048 bits (RFC 7518 section 3.3) to 8192, because a larger one takes too long to check.
  private static func rsaKey(_ fields: [String: JSONValue]) throws(Unsuitability) -> VerificationKey {
    let modulus = Array(try bytes("n", of: fields).drop { $0 == 0 })
    let exponent = Array(try bytes("e", of: fields).drop { $0 == 0 })
    let bits = modulus.count * 8 - (modulus.first?.leadingZeroBitCount ?? 0)
    guard (2048...8192).contains(bits) else { throw Unsuitability(detail: "has \(bits) bits, not 2048 to 8192") }
    // With exponent 1 every signature verifies, and an even exponent is never valid.
    guard let last = exponent.last, last & 1 == 1, exponent != [1], exponent.count <= 8 else {
      throw Unsuitability(detail: "has an unsafe exponent")
    }
    guard modulus.last.map({ $0 & 1 == 1 }) == true, let key = RSAVerificationKey(modulus: modulus, exponent: exponent)
    else { throw Unsuitability(detail: "is not an RSA key") }
    return VerificationKey(families: [.rsaPKCS1, .rsaPSS]) { key.isValid($0, for: $1, scheme: $2) }
  }

  /// Prepares a key of an elliptic curve (RFC 7518 section 6.2.1), whose coordinates must have their full length.
  private static func ellipticCurveKey(_ fields: [String: JSONValue]) throws(Unsuitability) -> VerificationKey {
    let (x, y) = (try bytes("x", of: fields), try bytes("y", of: fields))
    let lengths = ["P-256": 32, "P-384": 48, "P-521": 66]
    guard let curve = fields["crv"]?.string, let length = lengths[curve] else {
      throw Unsuitability(detail: "is on an unknown curve")
    }
    guard x.count == length, y.count == length else {
      throw Unsuitability(detail: "has coordinates that do not fit its curve")
    }
    do {
      switch curve {
      case "P-256":
        let key = try P256.Signing.PublicKey(rawRepresentation: x + y)
        return VerificationKey(.p256) { try key.isValidSignature(.init(rawRepresentation: $0), for: $1) }
      case "P-384":
        let key = try P384.Signing.PublicKey(rawRepresentation: x + y)
        return VerificationKey(.p384) { try key.isValidSignature(.init(rawRepresentation: $0), for: $1) }
      default:
        let key = try P521.Signing.PublicKey(rawRepresentation: x + y)
        return VerificationKey(.p521) { try key.isValidSignature(.init(rawRepresentation: $0), for: $1) }
      }
    } catch {
      throw Unsuitability(detail: "is not a point on its curve")
    }
  }

  /// Prepares an Ed25519 key (RFC 8037 section 2).
  private static func edwardsCurveKey(_ fields: [String: JSONValue]) throws(Unsuitability) -> VerificationKey {
    guard fields["crv"]?.string == "Ed25519" else { throw Unsuitability(detail: "is on an unknown curve") }
    let x = try bytes("x", of: fields)
    guard x.count == 32, let key = try? Curve25519.Signing.PublicKey(rawRepresentation: x) else {
      throw Unsuitability(detail: "is not an Ed25519 key")
    }
    return VerificationKey(.ed25519) { key.isValidSignature($0, for: $1) }
  }
}

/// A public key that is ready to verify signatures.
package struct VerificationKey: Sendable {
  fileprivate let families: [SignatureScheme.Family]
  /// Verifies a signature in JWS form (RFC 7518 section 3, raw `r || s` for ECDSA), and throws if it has another form.
  fileprivate let check: @Sendable ([UInt8], ArraySlice<UInt8>, SignatureScheme) throws -> Bool

  /// Whether the key has the type that the scheme needs.
  func fits(_ scheme: SignatureScheme) -> Bool { families.contains(scheme.family) }

  /// Whether a signature of the given bytes was made with this key.
  package func isValid(_ signature: [UInt8], for input: ArraySlice<UInt8>, scheme: SignatureScheme) -> Bool {
    fits(scheme) && (try? check(signature, input, scheme)) == true
  }
}

extension VerificationKey {
  /// Creates a key of a family in which the curve alone decides how a signature is verified.
  fileprivate init(
    _ family: SignatureScheme.Family, check: @escaping @Sendable ([UInt8], ArraySlice<UInt8>) throws -> Bool
  ) {
    self.init(families: [family]) { signature, input, _ in try check(signature, input) }
  }
}
