#if !canImport(Security)
  internal import B2CCore
  internal import CryptoExtras
  internal import Foundation

  /// A 2048-bit RSA key, for RS256.
  struct RSAMaterial: SigningMaterial {
    private let key: _RSA.Signing.PrivateKey
    let publicFields: [String: String]

    init() throws {
      key = try _RSA.Signing.PrivateKey(keySize: .bits2048)
      let numbers = try key.publicKey.getKeyPrimitives()
      publicFields = [
        "kty": "RSA", "n": Base64URL.encode(numbers.modulus), "e": Base64URL.encode(numbers.publicExponent),
      ]
    }

    func signature(for input: Data) throws -> Data {
      try key.signature(for: input, padding: .insecurePKCS1v1_5).rawRepresentation
    }

    func isValid(signature: Data, for input: Data) -> Bool {
      let signature = _RSA.Signing.RSASignature(rawRepresentation: signature)
      return key.publicKey.isValidSignature(signature, for: input, padding: .insecurePKCS1v1_5)
    }
  }
#endif
