package import Foundation

/// Zeros in gzip form, a thousand-odd of them for each two bytes (RFC 1951, RFC 1952).
package struct GzipBomb: Sendable {
  package private(set) var data = Data([0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3])
  private var bits: UInt32 = 0
  private var count: UInt32 = 0

  /// - Parameter size: The number of bytes that it decompresses to, about.
  package init(size: Int) {
    append(0b011, 3)  // the last block, with the fixed codes
    append(0b0000_1100, 8)  // the literal 0, its code reversed
    for _ in 0..<(size / 258) {
      append(0b1010_0011, 8)  // a copy of 258 bytes, its code reversed
      append(0, 5)  // from one byte back
    }
    append(0, 7)
    append(0, 7)
    // A check value that is wrong is never reached.
    data.append(contentsOf: [UInt8](repeating: 0, count: 8))
  }

  private mutating func append(_ value: UInt32, _ length: UInt32) {
    bits |= value << count
    count += length
    while count >= 8 {
      data.append(UInt8(bits & 0xFF))
      bits >>= 8
      count -= 8
    }
  }
}
