#if canImport(CryptoKit)
  import CryptoKit
#else
  import Crypto
#endif

import B2CCore
import Foundation

/// Signs header and payload exactly as they are written, because a forger can write anything.
struct IDTokenSigner: Sendable {
  var keyID: String?
  /// The public key's fields but `kid`, as JSON.
  let members: String
  var sign: @Sendable (_ input: Data, _ algorithm: String) throws -> Data

  /// The key's entry in a key set, with further fields.
  func entry(_ more: String = "") -> String {
    "{" + members + (keyID.map { ",\"kid\":\"\($0)\"" } ?? "") + (more.isEmpty ? "" : "," + more) + "}"
  }

  func token(header: String, payload: String, algorithm: String) throws -> String {
    let input = Base64URL.encode(header.utf8) + "." + Base64URL.encode(payload.utf8)
    return input + "." + Base64URL.encode(try sign(Data(input.utf8), algorithm))
  }

  func withKeyID(_ keyID: String?) -> IDTokenSigner {
    var copy = self
    copy.keyID = keyID
    return copy
  }

  /// Gives the same bytes as every signature.
  func signing(_ bytes: Data) -> IDTokenSigner {
    var copy = self
    copy.sign = { _, _ in bytes }
    return copy
  }
}

extension IDTokenSigner {
  /// The issuer's key, which is made once, because that takes long.
  static let rsa = Result { try rsa("rsa") }
  /// The key of another policy.
  static let otherRSA = Result { try rsa("other") }

  private static let p256Key = P256.Signing.PrivateKey()
  private static let p384Key = P384.Signing.PrivateKey()
  private static let p521Key = P521.Signing.PrivateKey()
  private static let ed25519Key = Curve25519.Signing.PrivateKey()

  static let p256 = curve("P-256", p256Key.publicKey.rawRepresentation) {
    try p256Key.signature(for: $0).rawRepresentation
  }
  /// The same, but with signatures in the form that X.509 uses and JOSE does not.
  static let p256WithDER = curve("P-256", p256Key.publicKey.rawRepresentation) {
    try p256Key.signature(for: $0).derRepresentation
  }
  static let p384 = curve("P-384", p384Key.publicKey.rawRepresentation) {
    try p384Key.signature(for: $0).rawRepresentation
  }
  static let p521 = curve("P-521", p521Key.publicKey.rawRepresentation) {
    try p521Key.signature(for: $0).rawRepresentation
  }
  static let ed25519 = IDTokenSigner(
    keyID: "ed25519",
    members: #""kty":"OKP","crv":"Ed25519","x":"\#(Base64URL.encode(ed25519Key.publicKey.rawRepresentation))""#
  ) { input, _ in try ed25519Key.signature(for: input) }

  /// A key that can sign by an algorithm.
  static func any(_ algorithm: String) throws -> IDTokenSigner {
    switch algorithm {
    case "ES256": p256
    case "ES384": p384
    case "ES512": p521
    case "EdDSA", "Ed25519": ed25519
    default: try rsa.get()
    }
  }

  /// The classic confusion: the public key's own text as the secret of an HMAC.
  static func hmac(withPublicKeyOf signer: IDTokenSigner) -> IDTokenSigner {
    let secret = SymmetricKey(data: Data(signer.entry().utf8))
    return IDTokenSigner(keyID: signer.keyID, members: signer.members) { input, _ in
      Data(HMAC<SHA256>.authenticationCode(for: input, using: secret))
    }
  }

  private static func rsa(_ keyID: String) throws -> IDTokenSigner {
    let key = try RSATestKey(bits: 2048)
    let (n, e) = (Base64URL.encode(key.modulus), Base64URL.encode(key.exponent))
    return IDTokenSigner(keyID: keyID, members: #""kty":"RSA","n":"\#(n)","e":"\#(e)""#, sign: key.sign)
  }

  private static func curve(
    _ name: String, _ point: Data, sign: @escaping @Sendable (Data) throws -> Data
  ) -> IDTokenSigner {
    let (x, y) = (Base64URL.encode(point.prefix(point.count / 2)), Base64URL.encode(point.suffix(point.count / 2)))
    let members = #""kty":"EC","crv":"\#(name)","x":"\#(x)","y":"\#(y)""#
    return IDTokenSigner(keyID: name, members: members) { input, _ in try sign(input) }
  }
}
