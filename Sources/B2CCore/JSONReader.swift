/// The strict reader of JSON that came from outside (RFC 8259).
///
/// Unlike Foundation's decoders it refuses an object that names a key twice (RFC 7515 section 4, RFC 7519 section 4), so
/// that no other reader can have seen another value; it nests at most ``maximumDepth`` deep, which the smallest stack of
/// a thread holds; it looks at each byte a bounded number of times; and it names the place of a fault.
package struct JSONReader {
  /// The most arrays and objects inside each other.
  package static let maximumDepth = 32
  /// The most bytes of a number; a `Double` needs less than 30.
  package static let maximumNumberLength = 128

  private let bytes: [UInt8]
  private var index = 0
  private var fault: JSONFault?
  /// The bytes looked at so far, for tests that show that the work grows with the length only.
  private var steps = 0

  private init(_ bytes: [UInt8], mayHaveByteOrderMark: Bool) {
    self.bytes = bytes
    if mayHaveByteOrderMark, bytes.starts(with: [0xEF, 0xBB, 0xBF]) { index = 3 }
  }

  /// Reads a text that is one object.
  ///
  /// - Parameters:
  ///   - text: The text, in UTF-8.
  ///   - mayHaveByteOrderMark: Whether to ignore a byte order mark at the beginning.
  /// - Returns: The fields by name.
  /// - Throws: ``JSONFault`` for the first fault; `notAnObject` when the text is another value.
  package static func object(
    _ text: some Collection<UInt8>, mayHaveByteOrderMark: Bool = true
  ) throws(JSONFault) -> [String: JSONValue] {
    var reader = JSONReader(Array(text), mayHaveByteOrderMark: mayHaveByteOrderMark)
    reader.skipSpace()
    let offset = reader.index
    guard case .object(let fields) = try reader.document() else { throw JSONFault(kind: .notAnObject, offset: offset) }
    return fields
  }

  /// Reads a text that is one value of any kind.
  ///
  /// - Parameter text: The text, in UTF-8; a byte order mark is ignored.
  /// - Returns: The value.
  /// - Throws: ``JSONFault`` for the first fault.
  package static func value(_ text: some Collection<UInt8>) throws(JSONFault) -> JSONValue {
    var reader = JSONReader(Array(text), mayHaveByteOrderMark: true)
    return try reader.document()
  }

  /// Returns how many bytes were looked at to read a text.
  static func steps(reading text: some Collection<UInt8>) -> Int {
    var reader = JSONReader(Array(text), mayHaveByteOrderMark: true)
    _ = try? reader.document()
    return reader.steps
  }
}

// MARK: - Values

// Nothing here throws: after the first fault, which is kept, each function returns at once.
extension JSONReader {
  private mutating func document() throws(JSONFault) -> JSONValue {
    skipSpace()
    let root = readValue(depth: 0)
    skipSpace()
    if index < bytes.count { fail(.trailingContent) }
    if let fault { throw fault }
    return root
  }

  private mutating func peek() -> UInt8? {
    steps += 1
    return index < bytes.count ? bytes[index] : nil
  }

  private mutating func skipSpace() {
    while let byte = peek(), byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { index += 1 }
  }

  private mutating func fail(_ kind: JSONFault.Kind, at offset: Int? = nil) {
    if fault == nil { fault = JSONFault(kind: kind, offset: offset ?? index) }
  }

  private mutating func skip(_ byte: UInt8, or kind: JSONFault.Kind) -> Bool {
    guard fault == nil, peek() == byte else {
      fail(kind)
      return false
    }
    index += 1
    return true
  }

  private mutating func readValue(depth: Int) -> JSONValue {
    let value: JSONValue? =
      switch peek() {
      case UInt8(ascii: "\""): readString(or: .missingValue).map(JSONValue.string)
      case UInt8(ascii: "{"): readObject(depth: depth + 1).map(JSONValue.object)
      case UInt8(ascii: "["): readArray(depth: depth + 1).map(JSONValue.array)
      case UInt8(ascii: "t"): readLiteral("true", as: .bool(true))
      case UInt8(ascii: "f"): readLiteral("false", as: .bool(false))
      case UInt8(ascii: "n"): readLiteral("null", as: .null)
      default: readNumber()
      }
    return value ?? .null
  }

  private mutating func readLiteral(_ text: StaticString, as value: JSONValue) -> JSONValue? {
    let end = index + text.utf8CodeUnitCount
    guard end <= bytes.count, text.withUTF8Buffer({ bytes[index..<end].elementsEqual($0) }) else {
      fail(.missingValue)
      return nil
    }
    steps += text.utf8CodeUnitCount
    index = end
    return value
  }

  private mutating func opens(_ depth: Int) -> Bool {
    guard depth <= Self.maximumDepth else {
      fail(.tooDeep)
      return false
    }
    index += 1
    skipSpace()
    return true
  }

  private mutating func readObject(depth: Int) -> [String: JSONValue]? {
    guard opens(depth) else { return nil }
    var fields: [String: JSONValue] = [:]
    if peek() == UInt8(ascii: "}") {
      index += 1
      return fields
    }
    while fault == nil {
      skipSpace()
      let nameOffset = index
      guard let name = readString(or: .missingKey) else { break }
      if fields[name] != nil { fail(.duplicateKey, at: nameOffset) }
      skipSpace()
      guard skip(UInt8(ascii: ":"), or: .missingColon) else { break }
      skipSpace()
      fields[name] = readValue(depth: depth)
      guard continues(until: UInt8(ascii: "}")) else { break }
    }
    return fields
  }

  private mutating func readArray(depth: Int) -> [JSONValue]? {
    guard opens(depth) else { return nil }
    var elements: [JSONValue] = []
    if peek() == UInt8(ascii: "]") {
      index += 1
      return elements
    }
    while fault == nil {
      skipSpace()
      elements.append(readValue(depth: depth))
      guard continues(until: UInt8(ascii: "]")) else { break }
    }
    return elements
  }

  private mutating func continues(until end: UInt8) -> Bool {
    guard fault == nil else { return false }
    skipSpace()
    if peek() == UInt8(ascii: ",") {
      index += 1
      return true
    }
    _ = skip(end, or: .missingComma)
    return false
  }
}

// MARK: - Numbers

extension JSONReader {
  private mutating func readNumber() -> JSONValue? {
    let start = index
    if peek() == UInt8(ascii: "-") { index += 1 }
    let firstDigit = index
    let digits = skipDigits()
    guard digits > 0, digits == 1 || bytes[firstDigit] != UInt8(ascii: "0") else {
      fail(.missingValue, at: start)
      return nil
    }
    var isWhole = true
    if peek() == UInt8(ascii: ".") {
      isWhole = false
      index += 1
      guard skipDigits() > 0 else { return malformedNumber(start) }
    }
    if peek() == UInt8(ascii: "e") || peek() == UInt8(ascii: "E") {
      isWhole = false
      index += 1
      if peek() == UInt8(ascii: "+") || peek() == UInt8(ascii: "-") { index += 1 }
      guard skipDigits() > 0 else { return malformedNumber(start) }
    }
    guard index - start <= Self.maximumNumberLength else { return unusableNumber(start) }
    let text = String(decoding: bytes[start..<index], as: UTF8.self)
    if isWhole, let number = Int64(text) { return .integer(number) }
    guard let number = Double(text), number.isFinite else { return unusableNumber(start) }
    // As `JSONDecoder` has it, so that a value is the same after it has been stored: 1.8e9 is a whole number.
    return Int64(exactly: number).map { .integer($0) } ?? .number(number)
  }

  private mutating func skipDigits() -> Int {
    let start = index
    while let byte = peek(), (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { index += 1 }
    return index - start
  }

  private mutating func malformedNumber(_ start: Int) -> JSONValue? {
    fail(.missingValue, at: start)
    return nil
  }

  private mutating func unusableNumber(_ start: Int) -> JSONValue? {
    fail(.numberOutOfRange, at: start)
    return nil
  }
}

// MARK: - Strings

extension JSONReader {
  private mutating func readString(or kind: JSONFault.Kind) -> String? {
    guard skip(UInt8(ascii: "\""), or: kind) else { return nil }
    let start = index
    var isASCII = true
    while let byte = peek() {
      switch byte {
      case UInt8(ascii: "\""):
        index += 1
        return text(bytes[start..<(index - 1)], isASCII: isASCII, from: start)
      case UInt8(ascii: "\\"): return readEscapedString(from: start)
      case 0..<0x20:
        fail(.controlCharacter)
        return nil
      default:
        isASCII = isASCII && byte < 0x80
        index += 1
      }
    }
    fail(.unterminatedString, at: start - 1)
    return nil
  }

  private mutating func readEscapedString(from start: Int) -> String? {
    var unescaped = Array(bytes[start..<index])
    while let byte = peek() {
      switch byte {
      case UInt8(ascii: "\""):
        index += 1
        return text(unescaped[...], isASCII: false, from: start)
      case UInt8(ascii: "\\"):
        guard let escaped = readEscape() else { return nil }
        unescaped.append(contentsOf: escaped)
      case 0..<0x20:
        fail(.controlCharacter)
        return nil
      default:
        unescaped.append(byte)
        index += 1
      }
    }
    fail(.unterminatedString, at: start - 1)
    return nil
  }

  private mutating func readEscape() -> [UInt8]? {
    let start = index
    index += 1
    let letter = peek()
    index += 1
    switch letter {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return letter.map { [$0] }
    case UInt8(ascii: "b"): return [0x08]
    case UInt8(ascii: "f"): return [0x0C]
    case UInt8(ascii: "n"): return [0x0A]
    case UInt8(ascii: "r"): return [0x0D]
    case UInt8(ascii: "t"): return [0x09]
    case UInt8(ascii: "u"):
      if let scalar = readEscapedScalar() { return Array(String(Character(scalar)).utf8) }
    default: break
    }
    fail(.invalidEscape, at: start)
    return nil
  }

  private mutating func readEscapedScalar() -> Unicode.Scalar? {
    guard let first = readHexadecimal() else { return nil }
    if let scalar = Unicode.Scalar(first) { return scalar }
    // What is left is one half of a surrogate pair; the other half has to follow at once.
    guard first < 0xDC00, skip(UInt8(ascii: "\\"), or: .invalidEscape), skip(UInt8(ascii: "u"), or: .invalidEscape),
      let second = readHexadecimal(), (0xDC00...0xDFFF).contains(second)
    else { return nil }
    return Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
  }

  private mutating func readHexadecimal() -> UInt32? {
    guard index + 4 <= bytes.count else { return nil }
    var number: UInt32 = 0
    for byte in bytes[index..<index + 4] {
      guard byte < 0x80, let digit = Character(Unicode.Scalar(byte)).hexDigitValue else { return nil }
      number = number << 4 | UInt32(digit)
    }
    steps += 4
    index += 4
    return number
  }

  private mutating func text(_ utf8: ArraySlice<UInt8>, isASCII: Bool, from start: Int) -> String? {
    let text = String(decoding: utf8, as: UTF8.self)
    // Decoding repairs what is not UTF-8; a repaired text no longer has the bytes it came from.
    guard isASCII || text.utf8.elementsEqual(utf8) else {
      fail(.invalidUTF8, at: start)
      return nil
    }
    guard isASCII || !CombiningMarks.haveLongRun(in: text) else {
      fail(.tooManyMarks, at: start)
      return nil
    }
    return text
  }
}
