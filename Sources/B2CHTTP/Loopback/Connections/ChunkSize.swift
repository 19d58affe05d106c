/// The first line of a chunk (RFC 9112 section 7.1).
enum ChunkSize {
  /// Reads the size and passes over extensions; `nil` when the line does not begin with one to eight hex digits.
  static func parse(_ line: [UInt8]) -> Int? {
    let digits = line.prefix { $0 != UInt8(ascii: ";") && $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\t") }
    guard (1...8).contains(digits.count) else { return nil }
    var size = 0
    for digit in digits {
      guard let value = Character(UnicodeScalar(digit)).hexDigitValue else { return nil }
      size = size << 4 | value
    }
    return size
  }
}
