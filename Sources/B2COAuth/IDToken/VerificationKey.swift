#if canImport(CryptoKit)
  import CryptoKit
#else
  import Crypto
#endif

/// A public key, ready to check signatures with.
enum VerificationKey: Sendable {
  case rsa(RSAVerificationKey)
  case p256(P256.Signing.PublicKey)
  case p384(P384.Signing.PublicKey)
  case p521(P521.Signing.PublicKey)
  case ed25519(Curve25519.Signing.PublicKey)

  /// Whether the key is of the kind that the scheme needs; an RSA key never checks an ECDSA signature, whatever a header says.
  func fits(_ scheme: SignatureScheme) -> Bool {
    switch (self, scheme.family) {
    case (.rsa, .rsaPKCS1), (.rsa, .rsaPSS), (.p256, .p256), (.p384, .p384), (.p521, .p521), (.ed25519, .ed25519): true
    default: false
    }
  }

  /// Whether a signature in JWS form (RFC 7518 section 3: raw `r || s` for ECDSA) is this key's over the given bytes.
  func isValid(_ signature: [UInt8], for input: ArraySlice<UInt8>, scheme: SignatureScheme) -> Bool {
    guard fits(scheme) else { return false }
    switch self {
    case .rsa(let key):
      return key.isValid(signature, for: input, scheme: scheme)
    case .p256(let key):
      guard let signature = try? P256.Signing.ECDSASignature(rawRepresentation: signature) else { return false }
      return key.isValidSignature(signature, for: input)
    case .p384(let key):
      guard let signature = try? P384.Signing.ECDSASignature(rawRepresentation: signature) else { return false }
      return key.isValidSignature(signature, for: input)
    case .p521(let key):
      guard let signature = try? P521.Signing.ECDSASignature(rawRepresentation: signature) else { return false }
      return key.isValidSignature(signature, for: input)
    case .ed25519(let key):
      return key.isValidSignature(signature, for: input)
    }
  }
}
