/// The parts of a URL as it is written (RFC 3986 section 3), so that each fault can be named and corrected.
///
/// `URL(string:)` escapes spaces, keeps a port of 99999 and reads `localhost:3000` as a scheme.
package struct URLParts: Sendable, Hashable {
  package var scheme: String?
  package var userInfo: String?
  /// The host, with brackets where they are written; `nil` without `//`.
  package var host: String?
  package var port: String?
  package var path = ""
  package var query: String?
  package var fragment: String?

  /// Splits a text at its delimiters; nothing is decoded or refused.
  package init(_ text: String) {
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
    if let colon = rest[bracket...].firstIndex(of: ":") {
      port = String(rest[rest.index(after: colon)...])
      rest = rest[..<colon]
    }
    host = String(rest)
  }

  /// The URL put together again.
  package var text: String {
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
    return text.utf8.allSatisfy { isLetter($0) || isDigit($0) || "+-.".utf8.contains($0) }
  }
}

extension URLParts {
  /// Returns the first character that no URL has (RFC 3986 section 2), or the `%` of an incomplete escape.
  package static func strayCharacter(in text: String) -> Unicode.Scalar? {
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

  /// Returns whether a path segment consists of pchars and complete escapes (RFC 3986 section 3.3).
  package static func isSegment(_ text: String) -> Bool {
    strayCharacter(in: text) == nil && !text.contains(where: { "/?#[]".contains($0) })
  }

  /// Whether the port, if there is one, is a number from 1 to 65535, and the host consists of labels or is an address.
  package var hasUsableHost: Bool {
    guard let host, !host.isEmpty, !host.hasPrefix("."), !host.hasPrefix("-") else { return false }
    let name = host.hasPrefix("[") && host.hasSuffix("]") ? host.dropFirst().dropLast() : host[...]
    let extra = name.count == host.count ? "-._~" : ":."
    let isHost = name.utf8.allSatisfy { Self.isLetter($0) || Self.isDigit($0) || extra.utf8.contains($0) }
    return isHost && (port.map(Self.isPort) ?? true)
  }

  /// Whether brackets, if the host has any, enclose an IPv6 address (RFC 3986 section 3.2.2).
  package var hasNameOrAddress: Bool {
    guard let host, host.contains(where: { "[]".contains($0) }) else { return true }
    return host.hasPrefix("[") && host.hasSuffix("]") && Self.isIPv6(String(host.dropFirst().dropLast()))
  }

  /// Returns whether a text is an IPv6 address without a zone (RFC 4291 section 2.2).
  package static func isIPv6(_ text: String) -> Bool {
    let colon: Character = ":"
    var groups: [String] = text.split(separator: colon, omittingEmptySubsequences: false).map { String($0) }
    // "::" at an end leaves two empty groups there, in the middle one.
    if groups.starts(with: ["", ""]) { groups.removeFirst() }
    if groups.suffix(2) == ["", ""], groups.count > 1 { groups.removeLast() }
    let gaps = groups.count { $0.isEmpty }
    var count = groups.count - gaps
    if let last = groups.last, last.contains(".") {
      let dot: Character = "."
      let parts: [Substring] = last.split(separator: dot, omittingEmptySubsequences: false)
      guard parts.count == 4, parts.allSatisfy({ part in UInt8(part).map { "\($0)" } == String(part) }) else {
        return false
      }
      groups.removeLast()
      count += 1
    }
    let areHexadecimal = groups.allSatisfy { group in
      group.utf8.count <= 4 && group.unicodeScalars.allSatisfy { $0.properties.isASCIIHexDigit }
    }
    return areHexadecimal && (gaps == 0 ? count == 8 : gaps == 1 && count < 8 && text.contains("::"))
  }

  /// A port at the end of the path, and the path without it; the tutorial's `http://localhost/tasks:3000` is port 80 and a
  /// path with a colon.
  package var portInPath: (path: String, port: String)? {
    guard port == nil, let colon = path.lastIndex(of: ":") else { return nil }
    let rest = path[path.index(after: colon)...]
    let digits = rest.hasSuffix("/") ? rest.dropLast() : rest
    guard Self.isPort(digits) else { return nil }
    return (String(path[..<colon]) + (digits.count == rest.count ? "" : "/"), String(digits))
  }

  /// Returns whether a text is a port number from 1 to 65535, without leading zeros.
  package static func isPort(_ text: some StringProtocol) -> Bool {
    !text.hasPrefix("0") && text.utf8.allSatisfy(isDigit) && UInt16(text).map { $0 > 0 } == true
  }

  package static func isLetter(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
  }

  package static func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }
}
