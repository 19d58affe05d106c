#if canImport(Security)
  import Foundation
  import Security

  /// An RSA public key that Apple's Security framework checks, because CryptoKit has no RSA.
  struct RSAVerificationKey: Sendable {
    // The `SecKey` is not stored, because not every SDK declares it `Sendable`. Creating one takes microseconds.
    private let encodedKey: Data
    private let signatureLength: Int

    /// Prepares a key from big-endian numbers without leading zeros, or returns `nil` if they are not an RSA key.
    init?(modulus: [UInt8], exponent: [UInt8]) {
      encodedKey = RSAPublicKeyDER.encode(modulus: modulus, exponent: exponent)
      signatureLength = modulus.count
      guard makeKey() != nil else { return nil }
    }

    func isValid(_ signature: [UInt8], for input: ArraySlice<UInt8>, scheme: SignatureScheme) -> Bool {
      guard signature.count == signatureLength, let algorithm = Self.algorithm(of: scheme), let key = makeKey() else {
        return false
      }
      return SecKeyVerifySignature(key, algorithm, Data(input) as CFData, Data(signature) as CFData, nil)
    }

    private func makeKey() -> SecKey? {
      let attributes: [String: Any] = [
        kSecAttrKeyType as String: kSecAttrKeyTypeRSA,
        kSecAttrKeyClass as String: kSecAttrKeyClassPublic,
      ]
      return SecKeyCreateWithData(encodedKey as CFData, attributes as CFDictionary, nil)
    }

    private static func algorithm(of scheme: SignatureScheme) -> SecKeyAlgorithm? {
      switch (scheme.family, scheme.hash) {
      case (.rsaPKCS1, .sha256): .rsaSignatureMessagePKCS1v15SHA256
      case (.rsaPKCS1, .sha384): .rsaSignatureMessagePKCS1v15SHA384
      case (.rsaPKCS1, .sha512): .rsaSignatureMessagePKCS1v15SHA512
      case (.rsaPSS, .sha256): .rsaSignatureMessagePSSSHA256
      case (.rsaPSS, .sha384): .rsaSignatureMessagePSSSHA384
      case (.rsaPSS, .sha512): .rsaSignatureMessagePSSSHA512
      default: nil
      }
    }
  }
#endif
