import Foundation

/// A small gzip file of a great many spaces (RFC 1951, RFC 1952), written by hand since no compressor comes with the
/// system.
enum GzipBomb {
  static let megabytes = 64

  static let data: Data = {
    var bits = BitWriter()
    bits.write(1, 1)  // the last block
    bits.write(1, 2)  // fixed codes
    bits.writeCode(0x30 + 0x20, 8)  // one space
    for _ in 0..<(megabytes << 20) / 258 {
      bits.writeCode(0b1100_0101, 8)  // the last 258 bytes ...
      bits.writeCode(0, 5)  // ... from one byte back, again
    }
    bits.writeCode(0, 7)
    // A check value that is wrong is never reached.
    return Data([0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255]) + bits.bytes + Data(repeating: 0, count: 8)
  }()

  private struct BitWriter {
    private(set) var bytes = Data()
    private var used = 8

    mutating func write(_ value: Int, _ count: Int) {
      for place in 0..<count { write(bit: UInt8(truncatingIfNeeded: value >> place) & 1) }
    }

    /// Codes come with their highest bit first.
    mutating func writeCode(_ code: Int, _ count: Int) {
      for place in (0..<count).reversed() { write(bit: UInt8(truncatingIfNeeded: code >> place) & 1) }
    }

    private mutating func write(bit: UInt8) {
      if used == 8 {
        bytes.append(0)
        used = 0
      }
      bytes[bytes.count - 1] |= bit << UInt8(used)
      used += 1
    }
  }
}
