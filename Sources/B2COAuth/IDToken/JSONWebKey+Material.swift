#if canImport(CryptoKit)
  import CryptoKit
#else
  import Crypto
#endif

import B2CCore

extension JSONWebKey {
  /// Makes the key ready, or says why it is not used.
  static func verificationKey(
    type: String, _ members: [String: JSONValue]
  ) throws(Unsuitability) -> VerificationKey {
    switch type {
    case "RSA": try rsaKey(members)
    case "EC": try ellipticCurveKey(members)
    default: try edwardsCurveKey(members)
    }
  }

  private static func bytes(_ name: String, of members: [String: JSONValue]) throws(Unsuitability) -> [UInt8] {
    guard let text = members[name]?.string, let bytes = Base64URL.decodeBytes(text.utf8), !bytes.isEmpty else {
      throw Unsuitability(detail: "has no usable \(name)")
    }
    return bytes
  }

  /// RFC 7518 section 6.3.1; at least 2048 bits by section 3.3, and no more than checking is worth.
  private static func rsaKey(_ members: [String: JSONValue]) throws(Unsuitability) -> VerificationKey {
    let modulus = Array(try bytes("n", of: members).drop { $0 == 0 })
    let exponent = Array(try bytes("e", of: members).drop { $0 == 0 })
    let bits = modulus.count * 8 - (modulus.first?.leadingZeroBitCount ?? 0)
    guard (2048...8192).contains(bits) else { throw Unsuitability(detail: "has \(bits) bits, not 2048 to 8192") }
    // An even or unit exponent makes every signature, or none, a good one.
    guard let last = exponent.last, last & 1 == 1, exponent != [1], exponent.count <= 8 else {
      throw Unsuitability(detail: "has an exponent that no sound key has")
    }
    guard modulus.last.map({ $0 & 1 == 1 }) == true,
      let key = RSAVerificationKey(modulus: modulus, exponent: exponent)
    else { throw Unsuitability(detail: "is no RSA key") }
    return .rsa(key)
  }

  /// RFC 7518 section 6.2.1: both coordinates in full length.
  private static func ellipticCurveKey(_ members: [String: JSONValue]) throws(Unsuitability) -> VerificationKey {
    let (x, y) = (try bytes("x", of: members), try bytes("y", of: members))
    let lengths = ["P-256": 32, "P-384": 48, "P-521": 66]
    guard let curve = members["crv"]?.string, let length = lengths[curve] else {
      throw Unsuitability(detail: "is on a curve not known here")
    }
    guard x.count == length, y.count == length else {
      throw Unsuitability(detail: "has coordinates of another length than its curve's")
    }
    do {
      switch curve {
      case "P-256": return .p256(try P256.Signing.PublicKey(rawRepresentation: x + y))
      case "P-384": return .p384(try P384.Signing.PublicKey(rawRepresentation: x + y))
      default: return .p521(try P521.Signing.PublicKey(rawRepresentation: x + y))
      }
    } catch {
      throw Unsuitability(detail: "is no point of its curve")
    }
  }

  /// RFC 8037 section 2.
  private static func edwardsCurveKey(_ members: [String: JSONValue]) throws(Unsuitability) -> VerificationKey {
    guard members["crv"]?.string == "Ed25519" else { throw Unsuitability(detail: "is on a curve not known here") }
    let x = try bytes("x", of: members)
    guard x.count == 32, let key = try? Curve25519.Signing.PublicKey(rawRepresentation: x) else {
      throw Unsuitability(detail: "is no Ed25519 key")
    }
    return .ed25519(key)
  }
}
