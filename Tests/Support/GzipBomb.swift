package import Foundation

/// Zeros in gzip form, 2,064 of them for each 13 bytes (RFC 1951, RFC 1952).
package struct GzipBomb: Sendable {
  package let data: Data

  /// - Parameter size: The number of bytes that it decompresses to, about.
  package init(size: Int) {
    // The header, and a last block with the fixed codes that begins with the byte 0.
    let head: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3, 0x63]
    // Eight copies of 258 bytes, each from one byte back.
    let copies: [UInt8] = [0x18, 0x05, 0xA3, 0x60, 0x14, 0x8C, 0x82, 0x51, 0x30, 0x0A, 0x46, 0xC1, 0x28]
    // The end of the block, and a check value that is wrong and never reached.
    data = Data(head + repeatElement(copies, count: size / 2_064).joined() + [UInt8](repeating: 0, count: 10))
  }
}
