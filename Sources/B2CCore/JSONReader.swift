/// The strict reader of JSON from outside (RFC 8259).
///
/// Unlike Foundation's decoders, it refuses an object in which a key occurs twice (RFC 7515 section 4, RFC 7519 section
/// 4), because another reader could have read the other value. Values are nested at most ``maximumDepth`` deep, for
/// which the smallest stack of a thread is large enough. The time grows linearly with the length of the text. Hashing
/// and comparing the texts later takes linear time too, because ``CombiningMarks`` limits their marks.
package struct JSONReader {
  /// The largest depth of nested arrays and objects.
  package static let maximumDepth = 32
  /// The largest length of a number in bytes, of which a `Double` needs less than 30.
  package static let maximumNumberLength = 128

  private let bytes: [UInt8]
  private let cutsMarks: Bool
  private var index = 0

  /// Reads a text that contains one object.
  ///
  /// - Parameters:
  ///   - text: The text in UTF-8.
  ///   - mayHaveByteOrderMark: Whether to ignore a byte order mark at the beginning, by default true.
  ///   - cutsMarks: Whether to remove combining marks over the limit instead of refusing the text, by default false.
  /// - Returns: The fields by name.
  /// - Throws: ``InvalidJSON`` with the first fault, or if the text contains another value.
  package static func object(
    _ text: some Collection<UInt8>, mayHaveByteOrderMark: Bool = true, cutsMarks: Bool = false
  ) throws(InvalidJSON) -> [String: JSONValue] {
    let root = try value(text, mayHaveByteOrderMark: mayHaveByteOrderMark, cutsMarks: cutsMarks)
    guard case .object(let fields) = root else { throw InvalidJSON(reason: "is not a JSON object", offset: 0) }
    return fields
  }

  /// Reads a text that contains one value of any kind.
  ///
  /// - Parameters:
  ///   - text: The text in UTF-8.
  ///   - mayHaveByteOrderMark: Whether to ignore a byte order mark at the beginning, by default true.
  ///   - cutsMarks: Whether to remove combining marks over the limit instead of refusing the text, by default false.
  /// - Returns: The value.
  /// - Throws: ``InvalidJSON`` with the first fault.
  package static func value(
    _ text: some Collection<UInt8>, mayHaveByteOrderMark: Bool = true, cutsMarks: Bool = false
  ) throws(InvalidJSON) -> JSONValue {
    var reader = JSONReader(bytes: Array(text), cutsMarks: cutsMarks)
    if mayHaveByteOrderMark, reader.bytes.starts(with: [0xEF, 0xBB, 0xBF]) { reader.index = 3 }
    return try reader.document()
  }
}

/// The first fault in a JSON text, with its position.
package struct InvalidJSON: Error, Hashable, CustomStringConvertible {
  /// The fault, in words that can follow "the text".
  package let reason: String
  /// The position of the fault, in bytes from the beginning of the text.
  package let offset: Int

  package var description: String { offset == 0 ? reason : "\(reason) at byte \(offset)" }
}

extension JSONReader {
  // MARK: Values

  private mutating func document() throws(InvalidJSON) -> JSONValue {
    skipSpace()
    guard let first = next else { throw fault("is empty", at: 0) }
    guard first != UInt8(ascii: "<") else { throw fault("is HTML or XML instead of JSON", at: 0) }
    let root = try readValue(depth: 0)
    skipSpace()
    guard index == bytes.count else { throw fault("continues after its end") }
    return root
  }

  private var next: UInt8? { index < bytes.count ? bytes[index] : nil }

  private func fault(_ reason: String = "is not JSON", at offset: Int? = nil) -> InvalidJSON {
    InvalidJSON(reason: reason, offset: offset ?? index)
  }

  private mutating func skipSpace() {
    while let byte = next, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { index += 1 }
  }

  /// Skips the next byte if it is the given one, and returns whether it was.
  private mutating func take(_ byte: UInt8) -> Bool {
    guard next == byte else { return false }
    index += 1
    return true
  }

  private mutating func readValue(depth: Int) throws(InvalidJSON) -> JSONValue {
    switch next {
    case UInt8(ascii: "\""): return .string(try readString())
    case UInt8(ascii: "{"): return .object(try readObject(depth: depth + 1))
    case UInt8(ascii: "["): return .array(try readArray(depth: depth + 1))
    case UInt8(ascii: "t"): return try readLiteral("true", as: .bool(true))
    case UInt8(ascii: "f"): return try readLiteral("false", as: .bool(false))
    case UInt8(ascii: "n"): return try readLiteral("null", as: .null)
    default: return try readNumber()
    }
  }

  private mutating func readLiteral(_ text: String, as value: JSONValue) throws(InvalidJSON) -> JSONValue {
    guard bytes[index...].starts(with: text.utf8) else { throw fault() }
    index += text.utf8.count
    return value
  }

  private mutating func open(_ depth: Int) throws(InvalidJSON) {
    guard depth <= Self.maximumDepth else { throw fault("is nested more than \(Self.maximumDepth) deep") }
    index += 1
    skipSpace()
  }

  private mutating func readObject(depth: Int) throws(InvalidJSON) -> [String: JSONValue] {
    try open(depth)
    var fields: [String: JSONValue] = [:]
    guard !take(UInt8(ascii: "}")) else { return fields }
    repeat {
      skipSpace()
      let start = index
      let name = try readString()
      guard fields[name] == nil else { throw fault("has a key twice", at: start) }
      skipSpace()
      guard take(UInt8(ascii: ":")) else { throw fault() }
      skipSpace()
      fields[name] = try readValue(depth: depth)
    } while try continues(until: UInt8(ascii: "}"))
    return fields
  }

  private mutating func readArray(depth: Int) throws(InvalidJSON) -> [JSONValue] {
    try open(depth)
    var elements: [JSONValue] = []
    guard !take(UInt8(ascii: "]")) else { return elements }
    repeat {
      skipSpace()
      elements.append(try readValue(depth: depth))
    } while try continues(until: UInt8(ascii: "]"))
    return elements
  }

  private mutating func continues(until end: UInt8) throws(InvalidJSON) -> Bool {
    skipSpace()
    if take(UInt8(ascii: ",")) { return true }
    guard take(end) else { throw fault() }
    return false
  }

  // MARK: Numbers

  private mutating func readNumber() throws(InvalidJSON) -> JSONValue {
    let start = index
    _ = take(UInt8(ascii: "-"))
    let hasLeadingZero = next == UInt8(ascii: "0")
    guard try skipDigits() == 1 || !hasLeadingZero else { throw fault() }
    if take(UInt8(ascii: ".")) { _ = try skipDigits() }
    if take(UInt8(ascii: "e")) || take(UInt8(ascii: "E")) {
      if !take(UInt8(ascii: "+")) { _ = take(UInt8(ascii: "-")) }
      _ = try skipDigits()
    }
    let text = String(decoding: bytes[start..<index], as: UTF8.self)
    if let number = Int64(text) { return .integer(number) }
    guard index - start <= Self.maximumNumberLength, let number = Double(text), number.isFinite
    else { throw fault("has a number out of range", at: start) }
    // `JSONDecoder` also reads 1.8e9 as an integer, so a value must be one here, too. Otherwise it would change when it
    // is stored.
    return Int64(exactly: number).map { .integer($0) } ?? .number(number)
  }

  private mutating func skipDigits() throws(InvalidJSON) -> Int {
    let start = index
    while let byte = next, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { index += 1 }
    guard index > start else { throw fault() }
    return index - start
  }

  // MARK: Strings

  private mutating func readString() throws(InvalidJSON) -> String {
    guard take(UInt8(ascii: "\"")) else { throw fault() }
    let start = index
    var unescaped: [UInt8] = []
    var copied = index
    while let byte = next {
      switch byte {
      case UInt8(ascii: "\""):
        let content = copied == start ? bytes[start..<index] : (unescaped + bytes[copied..<index])[...]
        index += 1
        let text = String(decoding: content, as: UTF8.self)
        // Decoding replaces bytes that are not UTF-8 by another character, so the bytes then differ from the original.
        guard ASCIIText.isSame(text, content) else { throw fault("is not UTF-8", at: start) }
        let bounded = CombiningMarks.cut(text)
        guard cutsMarks || bounded.utf8.count == text.utf8.count else {
          throw fault("has more than \(CombiningMarks.maximumRun) combining marks in a row", at: start)
        }
        return bounded
      case UInt8(ascii: "\\"):
        unescaped += bytes[copied..<index]
        unescaped += try readEscape()
        copied = index
      case 0..<0x20: throw fault("has a control character in a string")
      default: index += 1
      }
    }
    throw fault("has a string that does not end")
  }

  private static let escapes = Dictionary(
    uniqueKeysWithValues: zip("\"\\/bfnrt".utf8, "\"\\/\u{8}\u{C}\n\r\t".utf8))

  private mutating func readEscape() throws(InvalidJSON) -> [UInt8] {
    let start = index
    index += 1
    if take(UInt8(ascii: "u")) { return Array(String(Character(try readEscapedScalar())).utf8) }
    guard let letter = next, let byte = Self.escapes[letter] else { throw fault("has an unknown escape", at: start) }
    index += 1
    return [byte]
  }

  private mutating func readEscapedScalar() throws(InvalidJSON) -> Unicode.Scalar {
    let first = try readHexadecimal()
    if let scalar = Unicode.Scalar(first) { return scalar }
    // The value is half of a surrogate pair, so the other half must follow directly.
    guard first < 0xDC00, take(UInt8(ascii: "\\")), take(UInt8(ascii: "u")),
      case let second = try readHexadecimal(), (0xDC00...0xDFFF).contains(second),
      let scalar = Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
    else { throw fault("has half of a surrogate pair") }
    return scalar
  }

  private mutating func readHexadecimal() throws(InvalidJSON) -> UInt32 {
    let digits = bytes[index...].prefix(4)
    guard digits.count == 4, digits.allSatisfy({ $0 < 0x80 && Character(Unicode.Scalar($0)).isHexDigit }),
      let number = UInt32(String(decoding: digits, as: UTF8.self), radix: 16)
    else { throw fault("has an unknown escape") }
    index += 4
    return number
  }
}
