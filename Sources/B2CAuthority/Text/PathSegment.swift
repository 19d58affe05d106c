/// What a segment of a URL's path may consist of (RFC 3986 section 3.3).
enum PathSegment {
  private static let others = Set("-._~!$&'()*+,;=:@".utf8)

  /// Whether a segment has nothing but pchars, and only complete percent-escapes.
  static func isWellFormed(_ segment: String) -> Bool {
    let bytes = Array(segment.utf8)
    var index = 0
    while index < bytes.count {
      if bytes[index] == UInt8(ascii: "%") {
        guard index + 2 < bytes.count, isHex(bytes[index + 1]), isHex(bytes[index + 2]) else { return false }
        index += 3
      } else {
        guard isAlphanumeric(bytes[index]) || others.contains(bytes[index]) else { return false }
        index += 1
      }
    }
    return true
  }

  /// Whether a byte is an ASCII letter or digit.
  static func isAlphanumeric(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: false
    }
  }

  private static func isHex(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
      UInt8(ascii: "A")...UInt8(ascii: "F"):
      true
    default: false
    }
  }
}

extension String {
  /// The text of those scalars alone that a rule lets through.
  func keeping(_ rule: (Unicode.Scalar) -> Bool) -> String {
    var view = String.UnicodeScalarView()
    view.append(contentsOf: unicodeScalars.filter(rule))
    return String(view)
  }
}
