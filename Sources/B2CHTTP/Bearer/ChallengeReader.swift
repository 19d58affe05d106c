/// Reads `WWW-Authenticate` from left to right, in one pass: every byte is looked at a bounded number of times.
struct ChallengeReader {
  private let bytes: [UInt8]
  private var index = 0
  /// The next comma, and the last equals sign before it; kept, since many parameters may come before one comma.
  private var segment = (comma: 0, lastEquals: -1)
  private var found: [AuthenticationChallenge] = []

  init(_ text: String) {
    bytes = Array(text.utf8)
  }

  mutating func challenges() -> [AuthenticationChallenge] {
    while true {
      skip { Self.isSpace($0) || $0 == UInt8(ascii: ",") }
      guard index < bytes.count else { return found }
      let word = take { !Self.isSpace($0) && !Self.isDelimiter($0) }
      guard !word.isEmpty else {
        // A stray mark, such as an equals sign or a quotation that belongs to nothing.
        if current == UInt8(ascii: "\"") { _ = quoted() } else { index += 1 }
        continue
      }
      if isAtEqualsSign() {
        add(word.lowercased(), value())
      } else {
        found.append(AuthenticationChallenge(scheme: word, token68: token68()))
      }
    }
  }

  private var current: UInt8? { index < bytes.count ? bytes[index] : nil }

  private mutating func add(_ name: String, _ value: String) {
    if found.isEmpty { found.append(AuthenticationChallenge(scheme: "")) }
    let last = found.count - 1
    if found[last].parameters[name] == nil { found[last].parameters[name] = value }
  }

  /// Moves behind the equals sign of a parameter, with the white space that may surround it.
  private mutating func isAtEqualsSign() -> Bool {
    let start = index
    skip(Self.isSpace)
    if current == UInt8(ascii: "=") {
      index += 1
      skip(Self.isSpace)
      return true
    }
    index = start
    return false
  }

  private mutating func value() -> String {
    if current == UInt8(ascii: "\"") { return quoted() }
    findComma()
    let firstWord = bytes[index..<segment.comma].prefix { !Self.isSpace($0) }
    // Without quotes, a space is part of the value only when nothing after it looks like another parameter.
    let value = segment.lastEquals < firstWord.endIndex ? bytes[index..<segment.comma] : firstWord
    index = value.endIndex
    return Self.text(value).trimmingSpaces
  }

  private mutating func findComma() {
    guard index >= segment.comma else { return }
    segment = (bytes.count, -1)
    for place in index..<bytes.count {
      if bytes[place] == UInt8(ascii: ",") {
        segment.comma = place
        return
      }
      if bytes[place] == UInt8(ascii: "=") { segment.lastEquals = place }
    }
  }

  /// RFC 9110 section 5.6.4.
  private mutating func quoted() -> String {
    index += 1
    var value: [UInt8] = []
    while let byte = current, byte != UInt8(ascii: "\"") {
      index += 1
      if byte == UInt8(ascii: "\\"), let escaped = current {
        value.append(escaped)
        index += 1
      } else {
        value.append(byte)
      }
    }
    index += 1
    return Self.text(value)
  }

  /// A bare value behind a scheme: all of it up to the comma, with nothing but equals signs at its end.
  private mutating func token68() -> String? {
    let start = index
    skip(Self.isSpace)
    let word = bytes[index...].prefix { Self.isToken68($0) }
    let padding = bytes[word.endIndex...].prefix { $0 == UInt8(ascii: "=") }
    let rest = bytes[padding.endIndex...].drop(while: Self.isSpace)
    guard !word.isEmpty, rest.first ?? UInt8(ascii: ",") == UInt8(ascii: ",") else {
      index = start
      return nil
    }
    index = padding.endIndex
    return Self.text(bytes[word.startIndex..<padding.endIndex])
  }

  private mutating func skip(_ condition: (UInt8) -> Bool) {
    while let byte = current, condition(byte) { index += 1 }
  }

  private mutating func take(_ condition: (UInt8) -> Bool) -> String {
    let start = index
    skip(condition)
    return Self.text(bytes[start..<index])
  }

  private static func text(_ bytes: some Collection<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }

  private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0D || byte == 0x0A }

  private static func isDelimiter(_ byte: UInt8) -> Bool { ",=\"".utf8.contains(byte) }

  /// RFC 9110 section 11.2.
  private static func isToken68(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default:
      "-._~+/".utf8.contains(byte)
    }
  }
}

extension String {
  fileprivate var trimmingSpaces: String {
    String(drop { $0 == " " || $0 == "\t" }.reversed().drop { $0 == " " || $0 == "\t" }.reversed())
  }
}
