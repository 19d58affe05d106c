#if canImport(CryptoKit)
  import CryptoKit
#else
  import Crypto
#endif

import B2CCore
import Foundation

/// Signs header and payload exactly as they are written, because a forger can write anything.
struct IDTokenSigner: Sendable {
  let keyID: String?
  /// The public key's fields but `kid`, as JSON.
  let members: String
  let sign: @Sendable (_ input: Data, _ algorithm: String) throws -> Data

  /// The key's entry in a key set, with further fields.
  func entry(_ more: String = "") -> String {
    "{" + members + (keyID.map { ",\"kid\":\"\($0)\"" } ?? "") + (more.isEmpty ? "" : "," + more) + "}"
  }

  func token(header: String, payload: String, algorithm: String) throws -> String {
    let input = Base64URL.encode(header.utf8) + "." + Base64URL.encode(payload.utf8)
    return input + "." + Base64URL.encode(try sign(Data(input.utf8), algorithm))
  }

  func withKeyID(_ keyID: String?) -> IDTokenSigner {
    IDTokenSigner(keyID: keyID, members: members, sign: sign)
  }
}

extension IDTokenSigner {
  /// The issuer's key, which is made once, because that takes long.
  static let rsa = Result { try rsa("rsa", bits: 2048) }
  /// The key of another policy.
  static let otherRSA = Result { try rsa("other", bits: 2048) }
  /// A key as short as no one may use any more.
  static let weakRSA = Result { try rsa("weak", bits: 1024) }

  static let p256 = {
    let key = P256.Signing.PrivateKey()
    return IDTokenSigner(keyID: "p256", members: curve("P-256", key.publicKey.rawRepresentation)) { input, _ in
      try key.signature(for: input).rawRepresentation
    }
  }()

  /// The same, but with signatures in the form that X.509 uses and JOSE does not.
  static let p256WithDER = {
    let key = P256.Signing.PrivateKey()
    return IDTokenSigner(keyID: "p256", members: curve("P-256", key.publicKey.rawRepresentation)) { input, _ in
      try key.signature(for: input).derRepresentation
    }
  }()

  static let p384 = {
    let key = P384.Signing.PrivateKey()
    return IDTokenSigner(keyID: "p384", members: curve("P-384", key.publicKey.rawRepresentation)) { input, _ in
      try key.signature(for: input).rawRepresentation
    }
  }()

  static let p521 = {
    let key = P521.Signing.PrivateKey()
    return IDTokenSigner(keyID: "p521", members: curve("P-521", key.publicKey.rawRepresentation)) { input, _ in
      try key.signature(for: input).rawRepresentation
    }
  }()

  static let ed25519 = {
    let key = Curve25519.Signing.PrivateKey()
    let x = Base64URL.encode(key.publicKey.rawRepresentation)
    return IDTokenSigner(keyID: "ed25519", members: "\"kty\":\"OKP\",\"crv\":\"Ed25519\",\"x\":\"\(x)\"") { input, _ in
      try key.signature(for: input)
    }
  }()

  /// The classic confusion: the public key's own text as the secret of an HMAC.
  static func hmac(withPublicKeyOf signer: IDTokenSigner) -> IDTokenSigner {
    let secret = SymmetricKey(data: Data(signer.entry().utf8))
    return IDTokenSigner(keyID: signer.keyID, members: signer.members) { input, _ in
      Data(HMAC<SHA256>.authenticationCode(for: input, using: secret))
    }
  }

  /// Gives the same bytes as every signature.
  func signing(_ bytes: Data) -> IDTokenSigner {
    IDTokenSigner(keyID: keyID, members: members) { _, _ in bytes }
  }

  private static func rsa(_ keyID: String, bits: Int) throws -> IDTokenSigner {
    let key = try RSATestKey(bits: bits)
    let (n, e) = (Base64URL.encode(key.modulus), Base64URL.encode(key.exponent))
    return IDTokenSigner(keyID: keyID, members: "\"kty\":\"RSA\",\"n\":\"\(n)\",\"e\":\"\(e)\"") { input, algorithm in
      try key.sign(input, algorithm: algorithm)
    }
  }

  private static func curve(_ name: String, _ point: Data) -> String {
    let (x, y) = (point.prefix(point.count / 2), point.suffix(point.count / 2))
    return "\"kty\":\"EC\",\"crv\":\"\(name)\",\"x\":\"\(Base64URL.encode(x))\",\"y\":\"\(Base64URL.encode(y))\""
  }
}
