#if !canImport(Security)
  internal import B2CCore
  internal import B2CIDToken
  internal import CryptoExtras
  internal import Foundation

  extension TestSigningKey {
    /// Creates a new RSA key of 2048 bits for RS256, which takes about a tenth of a second.
    ///
    /// - Parameter id: The key's id, or `nil`, the default, for a random one.
    /// - Throws: An error of the system if it cannot create a key.
    package init(id: String? = nil) throws {
      let key = try _RSA.Signing.PrivateKey(keySize: .bits2048)
      let numbers = try key.publicKey.getKeyPrimitives()
      let (n, e) = (Base64URL.encode(numbers.modulus), Base64URL.encode(numbers.publicExponent))
      self.init(.rs256, ["kty": "RSA", "n": n, "e": e], id: id) {
        try key.signature(for: $0, padding: .insecurePKCS1v1_5).rawRepresentation
      }
    }
  }
#endif
