/// Which format a text has, by its first characters.
enum TextFormat {
  case blank
  case xml
  case json
  case openStep
  case html
  case unknown

  init(_ bytes: [UInt8]) {
    let rest = bytes.drop(while: Self.isBlank)
    guard let first = rest.first else {
      self = .blank
      return
    }
    switch first {
    case UInt8(ascii: "<"): self = Self.ofMarkup(rest)
    case UInt8(ascii: "["): self = .json
    case UInt8(ascii: "{"): self = Self.ofBraces(rest.dropFirst())
    case UInt8(ascii: "("): self = .openStep
    case UInt8(ascii: "/"):
      self = rest.dropFirst().first.map { $0 == 0x2A || $0 == 0x2F } == true ? .openStep : .unknown
    default: self = Self.isBareKey(rest) ? .openStep : .unknown
    }
  }

  static func isBlank(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
  }

  private static func ofMarkup(_ rest: ArraySlice<UInt8>) -> TextFormat {
    let head = String(decoding: rest.prefix(15), as: UTF8.self).lowercased()
    if head.hasPrefix("<!doctype html") || head.hasPrefix("<html") { return .html }
    // OpenStep writes data as <0fbd77>.
    let second = rest.dropFirst().first
    return second.map { Self.isDigit($0) } == true ? .openStep : .xml
  }

  /// `{ "key": …` is JSON; `{ key = …` and `{ "key" = …` are OpenStep.
  private static func ofBraces(_ rest: ArraySlice<UInt8>) -> TextFormat {
    let rest = rest.drop(while: isBlank)
    guard let first = rest.first, first != UInt8(ascii: "}") else { return .json }
    guard first == UInt8(ascii: "\"") else { return isBareKey(rest) ? .openStep : .json }
    let behind = rest.dropFirst().drop { $0 != UInt8(ascii: "\"") }.dropFirst().drop(while: isBlank)
    return behind.first == UInt8(ascii: "=") ? .openStep : .json
  }

  /// A word, then `=`.
  private static func isBareKey(_ rest: ArraySlice<UInt8>) -> Bool {
    let behind = rest.drop { isDigit($0) || isLetter($0) || $0 == UInt8(ascii: "_") }
    return behind.startIndex > rest.startIndex && behind.drop(while: isBlank).first == UInt8(ascii: "=")
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }

  private static func isLetter(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
  }
}
