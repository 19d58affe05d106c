import B2CCore

/// A reader of small JSON texts that decide about trust.
///
/// Unlike `JSONDecoder` it refuses an object that has one member twice (RFC 7515 section 4, RFC 7519 section 4), so that
/// nobody else can have read another value than this package does; and it is cheap enough to run on every token.
struct StrictJSON {
  enum Failure: Error, Hashable {
    case malformed
    case duplicateMember
    case tooDeep
  }

  private static let maximumDepth = 32

  private let bytes: [UInt8]
  private var index = 0

  private init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  /// Reads a text that is one object (RFC 8259), with nothing but blanks around it.
  static func object(_ bytes: [UInt8]) throws(Failure) -> [String: JSONValue] {
    var reader = StrictJSON(bytes)
    reader.skipBlanks()
    guard reader.peek() == UInt8(ascii: "{") else { throw .malformed }
    let members = try reader.readObject(depth: 1)
    reader.skipBlanks()
    guard reader.index == bytes.count else { throw .malformed }
    return members
  }
}

extension StrictJSON {
  private func peek() -> UInt8? {
    index < bytes.count ? bytes[index] : nil
  }

  private mutating func skipBlanks() {
    while let byte = peek(), byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 {
      index += 1
    }
  }

  private mutating func skip(_ byte: UInt8) throws(Failure) {
    guard peek() == byte else { throw .malformed }
    index += 1
  }

  private mutating func readValue(depth: Int) throws(Failure) -> JSONValue {
    switch peek() {
    case UInt8(ascii: "\""): return .string(try readString())
    case UInt8(ascii: "{"): return .object(try readObject(depth: depth + 1))
    case UInt8(ascii: "["): return .array(try readArray(depth: depth + 1))
    case UInt8(ascii: "t"): return try readLiteral("true", as: .bool(true))
    case UInt8(ascii: "f"): return try readLiteral("false", as: .bool(false))
    case UInt8(ascii: "n"): return try readLiteral("null", as: .null)
    default: return try readNumber()
    }
  }

  private mutating func readLiteral(_ text: StaticString, as value: JSONValue) throws(Failure) -> JSONValue {
    let end = index + text.utf8CodeUnitCount
    guard end <= bytes.count else { throw .malformed }
    let matches = text.withUTF8Buffer { bytes[index..<end].elementsEqual($0) }
    guard matches else { throw .malformed }
    index = end
    return value
  }

  private mutating func readObject(depth: Int) throws(Failure) -> [String: JSONValue] {
    guard depth <= Self.maximumDepth else { throw .tooDeep }
    try skip(UInt8(ascii: "{"))
    var members: [String: JSONValue] = [:]
    skipBlanks()
    if peek() == UInt8(ascii: "}") {
      index += 1
      return members
    }
    members.reserveCapacity(depth == 1 ? 24 : 4)
    while true {
      skipBlanks()
      let name = try readString()
      skipBlanks()
      try skip(UInt8(ascii: ":"))
      skipBlanks()
      guard members.updateValue(try readValue(depth: depth), forKey: name) == nil else { throw .duplicateMember }
      skipBlanks()
      if peek() == UInt8(ascii: ",") {
        index += 1
      } else {
        try skip(UInt8(ascii: "}"))
        return members
      }
    }
  }

  private mutating func readArray(depth: Int) throws(Failure) -> [JSONValue] {
    guard depth <= Self.maximumDepth else { throw .tooDeep }
    try skip(UInt8(ascii: "["))
    var elements: [JSONValue] = []
    skipBlanks()
    if peek() == UInt8(ascii: "]") {
      index += 1
      return elements
    }
    while true {
      skipBlanks()
      elements.append(try readValue(depth: depth))
      skipBlanks()
      if peek() == UInt8(ascii: ",") {
        index += 1
      } else {
        try skip(UInt8(ascii: "]"))
        return elements
      }
    }
  }
}

extension StrictJSON {
  private mutating func readNumber() throws(Failure) -> JSONValue {
    let start = index
    var isNegative = false
    if peek() == UInt8(ascii: "-") {
      isNegative = true
      index += 1
    }
    let firstDigit = index
    var magnitude: Int64? = 0
    while let digit = peekDigit() {
      magnitude = magnitude.flatMap { Self.append(digit, to: $0) }
      index += 1
    }
    let digits = index - firstDigit
    guard digits > 0, digits == 1 || bytes[firstDigit] != UInt8(ascii: "0") else { throw .malformed }
    if peek() != UInt8(ascii: "."), peek() != UInt8(ascii: "e"), peek() != UInt8(ascii: "E"), let magnitude {
      return .integer(isNegative ? -magnitude : magnitude)
    }
    if peek() == UInt8(ascii: ".") {
      index += 1
      try skipDigits()
    }
    if peek() == UInt8(ascii: "e") || peek() == UInt8(ascii: "E") {
      index += 1
      if peek() == UInt8(ascii: "+") || peek() == UInt8(ascii: "-") { index += 1 }
      try skipDigits()
    }
    guard let number = Double(String(decoding: bytes[start..<index], as: UTF8.self)), number.isFinite else {
      throw .malformed
    }
    // As `JSONDecoder` has it, so that a value is the same after it has been stored: 1.8e9 is a whole number.
    return Int64(exactly: number).map { .integer($0) } ?? .number(number)
  }

  private static func append(_ digit: UInt8, to magnitude: Int64) -> Int64? {
    let (product, overflows) = magnitude.multipliedReportingOverflow(by: 10)
    let (sum, overflowsToo) = product.addingReportingOverflow(Int64(digit))
    return overflows || overflowsToo ? nil : sum
  }

  private func peekDigit() -> UInt8? {
    guard let byte = peek(), (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
    return byte - UInt8(ascii: "0")
  }

  private mutating func skipDigits() throws(Failure) {
    guard peekDigit() != nil else { throw .malformed }
    while peekDigit() != nil { index += 1 }
  }
}

extension StrictJSON {
  private mutating func readString() throws(Failure) -> String {
    try skip(UInt8(ascii: "\""))
    let start = index
    var isASCII = true
    while let byte = peek() {
      switch byte {
      case UInt8(ascii: "\""):
        let text = bytes[start..<index]
        index += 1
        return try Self.text(text, isASCII: isASCII)
      case UInt8(ascii: "\\"): return try readEscapedString(prefix: bytes[start..<index])
      case 0..<0x20: throw .malformed
      default:
        isASCII = isASCII && byte < 0x80
        index += 1
      }
    }
    throw .malformed
  }

  private mutating func readEscapedString(prefix: ArraySlice<UInt8>) throws(Failure) -> String {
    var text = Array(prefix)
    while let byte = peek() {
      index += 1
      switch byte {
      case UInt8(ascii: "\""): return try Self.text(text[...], isASCII: false)
      case UInt8(ascii: "\\"): text.append(contentsOf: try readEscape())
      case 0..<0x20: throw .malformed
      default: text.append(byte)
      }
    }
    throw .malformed
  }

  private mutating func readEscape() throws(Failure) -> [UInt8] {
    guard let byte = peek() else { throw .malformed }
    index += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return [byte]
    case UInt8(ascii: "b"): return [0x08]
    case UInt8(ascii: "f"): return [0x0C]
    case UInt8(ascii: "n"): return [0x0A]
    case UInt8(ascii: "r"): return [0x0D]
    case UInt8(ascii: "t"): return [0x09]
    case UInt8(ascii: "u"): return Array(String(Character(try readEscapedScalar())).utf8)
    default: throw .malformed
    }
  }

  private mutating func readEscapedScalar() throws(Failure) -> Unicode.Scalar {
    let first = try readHexadecimal()
    if let scalar = Unicode.Scalar(first) { return scalar }
    // What is left is half of a surrogate pair: it needs its other half right behind it.
    guard first < 0xDC00 else { throw .malformed }
    try skip(UInt8(ascii: "\\"))
    try skip(UInt8(ascii: "u"))
    let second = try readHexadecimal()
    guard (0xDC00...0xDFFF).contains(second),
      let scalar = Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
    else { throw .malformed }
    return scalar
  }

  private mutating func readHexadecimal() throws(Failure) -> UInt32 {
    guard index + 4 <= bytes.count else { throw .malformed }
    var number: UInt32 = 0
    for byte in bytes[index..<index + 4] {
      guard let digit = Character(Unicode.Scalar(byte)).hexDigitValue else { throw .malformed }
      number = number << 4 | UInt32(digit)
    }
    index += 4
    return number
  }

  private static func text(_ bytes: ArraySlice<UInt8>, isASCII: Bool) throws(Failure) -> String {
    let text = String(decoding: bytes, as: UTF8.self)
    // Decoding repairs what is no UTF-8; a repaired text no longer has the bytes it came from.
    guard isASCII || text.utf8.elementsEqual(bytes) else { throw .malformed }
    return text
  }
}
