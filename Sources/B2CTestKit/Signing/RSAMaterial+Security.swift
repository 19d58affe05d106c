#if canImport(Security)
  internal import B2CCore
  internal import B2CIDToken
  internal import Foundation
  internal import Security

  /// A 2048-bit RSA key, for RS256 and PS256.
  struct RSAMaterial: SigningMaterial {
    // The private key travels as PKCS #1 bytes, because `SecKey` itself is not `Sendable`.
    private let privateBytes: Data
    let publicFields: [String: String]

    init() throws {
      let attributes: [CFString: Any] = [kSecAttrKeyType: kSecAttrKeyTypeRSA, kSecAttrKeySizeInBits: 2048]
      var failure: Unmanaged<CFError>?
      guard let key = SecKeyCreateRandomKey(attributes as CFDictionary, &failure),
        let publicKey = SecKeyCopyPublicKey(key),
        let privateBytes = SecKeyCopyExternalRepresentation(key, &failure) as Data?,
        let publicBytes = SecKeyCopyExternalRepresentation(publicKey, &failure) as Data?,
        let numbers = DERIntegers.read(publicBytes), numbers.count == 2
      else { throw TestSigningKeyError.cannotMakeKey }
      self.privateBytes = privateBytes
      publicFields = ["kty": "RSA", "n": Base64URL.encode(numbers[0]), "e": Base64URL.encode(numbers[1])]
    }

    func signature(for input: Data, algorithm: JWSAlgorithm) throws -> Data {
      var failure: Unmanaged<CFError>?
      guard let key = privateKey(),
        let signature = SecKeyCreateSignature(key, kind(algorithm), input as CFData, &failure) as Data?
      else { throw TestSigningKeyError.cannotSign }
      return signature
    }

    func isValid(signature: Data, for input: Data, algorithm: JWSAlgorithm) -> Bool {
      var failure: Unmanaged<CFError>?
      guard let key = privateKey(), let publicKey = SecKeyCopyPublicKey(key) else { return false }
      return SecKeyVerifySignature(publicKey, kind(algorithm), input as CFData, signature as CFData, &failure)
    }

    private func privateKey() -> SecKey? {
      let attributes: [CFString: Any] = [
        kSecAttrKeyType: kSecAttrKeyTypeRSA, kSecAttrKeyClass: kSecAttrKeyClassPrivate,
      ]
      return SecKeyCreateWithData(privateBytes as CFData, attributes as CFDictionary, nil)
    }

    private func kind(_ algorithm: JWSAlgorithm) -> SecKeyAlgorithm {
      algorithm == .ps256 ? .rsaSignatureMessagePSSSHA256 : .rsaSignatureMessagePKCS1v15SHA256
    }
  }
#endif
