package import Foundation

/// The DER form of an RSA public key (RFC 8017 appendix A.1.1), which Apple's Security framework reads.
package enum RSAPublicKeyDER {
  /// Encodes `SEQUENCE { INTEGER modulus, INTEGER publicExponent }` from big-endian numbers.
  package static func encode(modulus: [UInt8], exponent: [UInt8]) -> Data {
    element(tag: 0x30, content: integer(modulus) + integer(exponent))
  }

  private static func integer(_ bigEndian: [UInt8]) -> Data {
    var content = Data(bigEndian.drop { $0 == 0 })
    // In DER, a number whose highest bit is set is negative, so it gets a leading zero. Zero itself is one zero byte.
    if content.first.map({ $0 >= 0x80 }) ?? true { content.insert(0, at: content.startIndex) }
    return element(tag: 0x02, content: content)
  }

  private static func element(tag: UInt8, content: Data) -> Data {
    // A length below 128 is one byte. A longer one is the number of its bytes, followed by these bytes.
    let length = withUnsafeBytes(of: content.count.bigEndian) { Array($0.drop { $0 == 0 }) }
    let head = content.count < 0x80 ? [tag, UInt8(content.count)] : [tag, 0x80 | UInt8(length.count)] + length
    return Data(head) + content
  }
}
