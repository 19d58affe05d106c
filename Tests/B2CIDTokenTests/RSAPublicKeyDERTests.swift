import B2CIDToken
import Foundation
import Testing

@Suite("The DER of an RSA key")
struct RSAPublicKeyDERTests {
  struct Example: Sendable {
    let modulus: [UInt8]
    let exponent: [UInt8]
    let encoded: [UInt8]
  }

  @Test(
    "is a sequence of two positive integers in shortest form (X.690 sections 8.3, 8.9 and 10.1)",
    arguments: [
      Example(modulus: [0x7F], exponent: [3], encoded: [0x30, 6, 2, 1, 0x7F, 2, 1, 3]),
      Example(modulus: [0x80], exponent: [1, 0, 1], encoded: [0x30, 9, 2, 2, 0, 0x80, 2, 3, 1, 0, 1]),
      Example(modulus: [0, 0, 0x23], exponent: [0, 3], encoded: [0x30, 6, 2, 1, 0x23, 2, 1, 3]),
      Example(modulus: [0], exponent: [], encoded: [0x30, 6, 2, 1, 0, 2, 1, 0]),
      Example(
        modulus: [UInt8](repeating: 0x55, count: 127), exponent: [3],
        encoded: [0x30, 0x81, 0x84, 2, 0x7F] + [UInt8](repeating: 0x55, count: 127) + [2, 1, 3]),
      Example(
        modulus: [UInt8](repeating: 0x55, count: 128), exponent: [3],
        encoded: [0x30, 0x81, 0x86, 2, 0x81, 0x80] + [UInt8](repeating: 0x55, count: 128) + [2, 1, 3]),
      Example(
        modulus: [UInt8](repeating: 0xFF, count: 256), exponent: [1, 0, 1],
        encoded: [0x30, 0x82, 1, 0x0A, 2, 0x82, 1, 1, 0] + [UInt8](repeating: 0xFF, count: 256) + [2, 3, 1, 0, 1]),
    ])
  func encoding(_ example: Example) {
    #expect(RSAPublicKeyDER.encode(modulus: example.modulus, exponent: example.exponent) == Data(example.encoded))
  }
}
