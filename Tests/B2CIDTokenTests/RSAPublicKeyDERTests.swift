import B2CIDToken
import Foundation
import Testing

#if !canImport(Security)
  import CryptoExtras
#endif

@Suite("The DER of an RSA key")
struct RSAPublicKeyDERTests {
  static let examples: [(modulus: [UInt8], exponent: [UInt8], encoded: [UInt8])] = [
    ([0x7F], [3], [0x30, 6, 2, 1, 0x7F, 2, 1, 3]), ([0x80], [1, 0, 1], [0x30, 9, 2, 2, 0, 0x80, 2, 3, 1, 0, 1]),
    ([0, 0, 0x23], [0, 3], [0x30, 6, 2, 1, 0x23, 2, 1, 3]), ([0], [], [0x30, 6, 2, 1, 0, 2, 1, 0]),
    (x55(127), [3], [0x30, 0x81, 0x84, 2, 0x7F] + x55(127) + [2, 1, 3]),
    (x55(128), [3], [0x30, 0x81, 0x86, 2, 0x81, 0x80] + x55(128) + [2, 1, 3]),
    (
      [UInt8](repeating: 0xFF, count: 256), [1, 0, 1],
      [0x30, 0x82, 1, 0x0A, 2, 0x82, 1, 1, 0] + [UInt8](repeating: 0xFF, count: 256) + [2, 3, 1, 0, 1]
    ),
  ]

  private static func x55(_ count: Int) -> [UInt8] { [UInt8](repeating: 0x55, count: count) }

  @Test(
    "is a sequence of two positive integers in shortest form (X.690 sections 8.3, 8.9 and 10.1)", arguments: examples)
  func encoding(modulus: [UInt8], exponent: [UInt8], encoded: [UInt8]) {
    #expect(RSAPublicKeyDER.encode(modulus: modulus, exponent: exponent) == Data(encoded))
  }

  #if !canImport(Security)
    @Test("is the same that swift-crypto writes", arguments: [2048, 2056, 3072])
    func sameAsSwiftCrypto(bits: Int) throws {
      let key = try RSATestKey(bits: bits)
      let expected = try _RSA.Signing.PublicKey(n: key.modulus, e: key.exponent).pkcs1DERRepresentation
      #expect(RSAPublicKeyDER.encode(modulus: Array(key.modulus), exponent: Array(key.exponent)) == expected)
    }
  #endif
}
