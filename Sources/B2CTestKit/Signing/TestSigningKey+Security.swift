#if canImport(Security)
  internal import B2CCore
  internal import B2CIDToken
  internal import Foundation
  internal import Security

  extension TestSigningKey {
    private enum Failure: Error { case cannotMakeKey, cannotSign }

    /// Creates a new RSA key of 2048 bits for RS256, which takes about a tenth of a second.
    ///
    /// - Parameter id: The key's id, or `nil`, the default, for a random one.
    /// - Throws: An error of the system if it cannot create a key.
    package init(id: String? = nil) throws {
      let attributes: [CFString: Any] = [kSecAttrKeyType: kSecAttrKeyTypeRSA, kSecAttrKeySizeInBits: 2048]
      var failure: Unmanaged<CFError>?
      guard let key = SecKeyCreateRandomKey(attributes as CFDictionary, &failure),
        let publicKey = SecKeyCopyPublicKey(key),
        let privateBytes = SecKeyCopyExternalRepresentation(key, &failure) as Data?,
        let publicBytes = SecKeyCopyExternalRepresentation(publicKey, &failure) as Data?, publicBytes.count == 270
      else { throw Failure.cannotMakeKey }
      // The public key is in PKCS #1 form (RFC 8017 appendix A.1.1). At 2048 bits, nine bytes of DER precede the
      // modulus, and the last three bytes are the exponent 65537.
      let n = Base64URL.encode(publicBytes.dropFirst(9).prefix(256))
      let fields = ["kty": "RSA", "n": n, "e": Base64URL.encode(publicBytes.suffix(3))]
      self.init(.rs256, fields, id: id) { try Self.signature(of: $0, with: privateBytes) }
    }

    // The closure that signs must be `Sendable`, which `SecKey` is not, so it gets the key's PKCS #1 bytes.
    private static func signature(of input: Data, with privateBytes: Data) throws -> Data {
      let attributes: [CFString: Any] = [
        kSecAttrKeyType: kSecAttrKeyTypeRSA, kSecAttrKeyClass: kSecAttrKeyClassPrivate,
      ]
      var failure: Unmanaged<CFError>?
      guard let key = SecKeyCreateWithData(privateBytes as CFData, attributes as CFDictionary, nil),
        let signature = SecKeyCreateSignature(key, .rsaSignatureMessagePKCS1v15SHA256, input as CFData, &failure)
          as Data?
      else { throw Failure.cannotSign }
      return signature
    }
  }
#endif
