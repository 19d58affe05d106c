/// Bytes of a text file to UTF-8 without a byte order mark.
enum TextDecoding {
  enum Failure: Error {
    case invalidUTF8(offset: Int)
    case invalidUTF16
    case utf32
  }

  /// Reads UTF-8 and UTF-16, with or without a byte order mark.
  static func utf8(_ bytes: [UInt8]) throws(Failure) -> [UInt8] {
    let head = Array(bytes.prefix(4)) + [UInt8](repeating: 1, count: max(0, 4 - bytes.count))
    switch (head[0], head[1], head[2], head[3]) {
    case (0xFF, 0xFE, 0, 0), (0, 0, 0xFE, 0xFF): throw .utf32
    case (0xFF, 0xFE, _, _): return try utf16(bytes.dropFirst(2), isLittleEndian: true)
    case (0xFE, 0xFF, _, _): return try utf16(bytes.dropFirst(2), isLittleEndian: false)
    case (0xEF, 0xBB, 0xBF, _): return try checked(Array(bytes.dropFirst(3)))
    case (1..., 0, 1..., 0): return try utf16(bytes[...], isLittleEndian: true)
    case (0, 1..., 0, 1...): return try utf16(bytes[...], isLittleEndian: false)
    default: return try checked(bytes)
    }
  }

  private static func checked(_ bytes: [UInt8]) throws(Failure) -> [UInt8] {
    let repaired = String(decoding: bytes, as: UTF8.self).utf8
    guard !repaired.elementsEqual(bytes) else { return bytes }
    let same = zip(repaired, bytes).prefix { $0 == $1 }
    throw .invalidUTF8(offset: same.count)
  }

  private static func utf16(_ bytes: ArraySlice<UInt8>, isLittleEndian: Bool) throws(Failure) -> [UInt8] {
    guard bytes.count.isMultiple(of: 2) else { throw .invalidUTF16 }
    let units = stride(from: bytes.startIndex, to: bytes.endIndex, by: 2).map { index in
      let (first, second) = (UInt16(bytes[index]), UInt16(bytes[index + 1]))
      return isLittleEndian ? second << 8 | first : first << 8 | second
    }
    let text = String(decoding: units, as: UTF16.self)
    guard text.utf16.elementsEqual(units) else { throw .invalidUTF16 }
    return Array(text.utf8)
  }
}
