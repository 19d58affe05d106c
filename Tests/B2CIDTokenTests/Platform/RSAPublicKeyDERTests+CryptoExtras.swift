#if !canImport(Security)
  import B2CIDToken
  import CryptoExtras
  import Foundation
  import Testing

  extension RSAPublicKeyDERTests {
    @Test("is the same that swift-crypto writes", arguments: [2048, 2056, 3072])
    func sameAsSwiftCrypto(bits: Int) throws {
      let key = try RSATestKey(bits: bits)
      let expected = try _RSA.Signing.PublicKey(n: key.modulus, e: key.exponent).pkcs1DERRepresentation
      #expect(RSAPublicKeyDER.encode(modulus: Array(key.modulus), exponent: Array(key.exponent)) == expected)
    }
  }
#endif
