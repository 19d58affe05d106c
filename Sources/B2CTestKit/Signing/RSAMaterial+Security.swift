#if canImport(Security)
  internal import B2CCore
  internal import Foundation
  internal import Security

  /// A 2048-bit RSA key, for RS256.
  struct RSAMaterial: SigningMaterial {
    private enum Failure: Error { case cannotMakeKey, cannotSign }

    private static let algorithm = SecKeyAlgorithm.rsaSignatureMessagePKCS1v15SHA256

    // The private key travels as PKCS #1 bytes, because `SecKey` itself is not `Sendable`.
    private let privateBytes: Data
    let publicFields: [String: String]

    init() throws {
      let attributes: [CFString: Any] = [kSecAttrKeyType: kSecAttrKeyTypeRSA, kSecAttrKeySizeInBits: 2048]
      var failure: Unmanaged<CFError>?
      guard let key = SecKeyCreateRandomKey(attributes as CFDictionary, &failure),
        let publicKey = SecKeyCopyPublicKey(key),
        let privateBytes = SecKeyCopyExternalRepresentation(key, &failure) as Data?,
        let publicBytes = SecKeyCopyExternalRepresentation(publicKey, &failure) as Data?, publicBytes.count == 270
      else { throw Failure.cannotMakeKey }
      self.privateBytes = privateBytes
      // PKCS #1 (RFC 8017 appendix A.1.1): at 2048 bits the modulus is always behind nine bytes of DER, and 65537 last.
      let modulus = publicBytes.dropFirst(9).prefix(256)
      publicFields = ["kty": "RSA", "n": Base64URL.encode(modulus), "e": Base64URL.encode(publicBytes.suffix(3))]
    }

    func signature(for input: Data) throws -> Data {
      var failure: Unmanaged<CFError>?
      guard let key = privateKey(),
        let signature = SecKeyCreateSignature(key, Self.algorithm, input as CFData, &failure) as Data?
      else { throw Failure.cannotSign }
      return signature
    }

    func isValid(signature: Data, for input: Data) -> Bool {
      var failure: Unmanaged<CFError>?
      guard let key = privateKey(), let publicKey = SecKeyCopyPublicKey(key) else { return false }
      return SecKeyVerifySignature(publicKey, Self.algorithm, input as CFData, signature as CFData, &failure)
    }

    private func privateKey() -> SecKey? {
      let attributes: [CFString: Any] = [
        kSecAttrKeyType: kSecAttrKeyTypeRSA, kSecAttrKeyClass: kSecAttrKeyClassPrivate,
      ]
      return SecKeyCreateWithData(privateBytes as CFData, attributes as CFDictionary, nil)
    }
  }
#endif
