/// A URL taken apart by hand (RFC 3986 section 3), so that what is wrong with it can be named and mended.
///
/// `URL(string:)` escapes blanks, keeps a port of 99999 and reads `localhost:3000` as a scheme.
struct URLParts {
  var scheme: String?
  var userInfo: String?
  /// With brackets where there are some; nothing when there is no `//`.
  var host: String?
  var port: String?
  var path = ""
  var query: String?
  var fragment: String?

  init(_ text: String) {
    var rest = text[...]
    if let hash = rest.firstIndex(of: "#") {
      fragment = String(rest[rest.index(after: hash)...])
      rest = rest[..<hash]
    }
    if let mark = rest.firstIndex(of: "?") {
      query = String(rest[rest.index(after: mark)...])
      rest = rest[..<mark]
    }
    if let colon = rest.firstIndex(of: ":"), Self.isScheme(rest[..<colon]) {
      scheme = String(rest[..<colon])
      rest = rest[rest.index(after: colon)...]
    }
    if rest.hasPrefix("//") {
      let authority = rest.dropFirst(2).prefix { $0 != "/" }
      rest = rest[authority.endIndex...]
      readAuthority(authority)
    }
    path = String(rest)
  }

  private mutating func readAuthority(_ text: Substring) {
    var rest = text
    if let at = rest.lastIndex(of: "@") {
      userInfo = String(rest[..<at])
      rest = rest[rest.index(after: at)...]
    }
    let bracket = rest.lastIndex(of: "]") ?? rest.startIndex
    if let colon = rest[bracket...].lastIndex(of: ":") {
      port = String(rest[rest.index(after: colon)...])
      rest = rest[..<colon]
    }
    host = String(rest)
  }

  /// The URL put together again.
  var text: String {
    var text = scheme.map { $0 + ":" } ?? ""
    if let host {
      text += "//" + (userInfo.map { $0 + "@" } ?? "") + host + (port.map { ":" + $0 } ?? "")
    }
    text += path
    if let query { text += "?" + query }
    if let fragment { text += "#" + fragment }
    return text
  }

  private static func isScheme(_ text: Substring) -> Bool {
    guard let first = text.utf8.first, isLetter(first) else { return false }
    return text.utf8.allSatisfy { isLetter($0) || (0x30...0x39).contains($0) || "+-.".utf8.contains($0) }
  }

  private static func isLetter(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
  }
}

extension URLParts {
  /// The first character that no URL has (RFC 3986 section 2), or an escape that is not complete.
  static func strayCharacter(in text: String) -> Unicode.Scalar? {
    let scalars = Array(text.unicodeScalars)
    for (index, scalar) in scalars.enumerated() {
      let isAllowed =
        scalar.isASCII && scalar.value > 0x20 && scalar.value != 0x7F && !"\"<>\\^`{|}".unicodeScalars.contains(scalar)
      guard isAllowed else { return scalar }
      if scalar == "%" {
        let digits = scalars[(index + 1)...].prefix(2)
        guard digits.count == 2, digits.allSatisfy(\.properties.isASCIIHexDigit) else { return scalar }
      }
    }
    return nil
  }

  /// Whether a port, if there is one, is a number from 1 to 65535, and a host is no more than labels or an address.
  var hasUsableHost: Bool {
    guard let host, !host.isEmpty, !host.hasPrefix("."), !host.hasPrefix("-") else { return false }
    let name = host.hasPrefix("[") && host.hasSuffix("]") ? host.dropFirst().dropLast() : host[...]
    let extra = name.count == host.count ? "-._~" : ":."
    let isHost = name.utf8.allSatisfy { byte in
      Self.isLetter(byte) || (0x30...0x39).contains(byte) || extra.utf8.contains(byte)
    }
    return isHost && (port.map(Self.isPort) ?? true)
  }

  static func isPort(_ text: some StringProtocol) -> Bool {
    text.utf8.allSatisfy { (0x30...0x39).contains($0) } && UInt16(text).map { $0 > 0 } == true
  }
}
