#if !canImport(Security)
  import Crypto
  import CryptoExtras
  import Foundation

  /// An RSA public key that swift-crypto checks.
  struct RSAVerificationKey: Sendable {
    private let key: _RSA.Signing.PublicKey
    private let signatureLength: Int

    /// Prepares a key from big-endian numbers without leading zeros, or returns `nil` if they are not an RSA key.
    init?(modulus: [UInt8], exponent: [UInt8]) {
      guard let key = try? _RSA.Signing.PublicKey(n: modulus, e: exponent) else { return nil }
      self.key = key
      signatureLength = modulus.count
    }

    func isValid(_ signature: [UInt8], for input: ArraySlice<UInt8>, scheme: SignatureScheme) -> Bool {
      guard signature.count == signatureLength else { return false }
      let padding: _RSA.Signing.Padding = scheme.family == .rsaPSS ? .PSS : .insecurePKCS1v1_5
      let signature = _RSA.Signing.RSASignature(rawRepresentation: Data(signature))
      switch scheme.hash {
      case .sha256: return key.isValidSignature(signature, for: SHA256.hash(data: input), padding: padding)
      case .sha384: return key.isValidSignature(signature, for: SHA384.hash(data: input), padding: padding)
      case .sha512: return key.isValidSignature(signature, for: SHA512.hash(data: input), padding: padding)
      }
    }
  }
#endif
