import B2CCore

/// The parts of an authority's text, each checked.
///
/// `URL(string:)` repairs a bad escape, a space or a port of 99999 silently, and what it finds after a backslash depends
/// on the platform. Here every fault is named before a `URL` is made.
struct AuthorityText {
  private static let limit = 2_048

  /// `https` or `http`.
  let scheme: String
  /// The host in the developer's case; an IPv6 address has no brackets here.
  let host: String
  /// The port, unless it is the scheme's default.
  let port: Int?
  /// The path's segments as written, without empty ones; escapes are well formed.
  let segments: [String]
  /// The decoded values of every `p` in the query.
  let policies: [String]

  /// `scheme://host[:port]` in the developer's case.
  var origin: String {
    scheme + "://" + (host.contains(":") ? "[\(host)]" : host) + (port.map { ":\($0)" } ?? "")
  }

  init(_ text: String) throws(AuthorityError) {
    try Self.checkCharacters(text)
    guard text.contains("://") else {
      throw AuthorityError(
        .notAURL, "The authority has no scheme followed by ://.", suggestion: Self.withScheme(text),
        recoverySuggestion: Self.example)
    }
    var parts = URLParts(text)
    guard let scheme = parts.scheme?.lowercased(), let written = parts.host else {
      throw AuthorityError(.notAURL, "The authority has no readable scheme.", recoverySuggestion: Self.example)
    }
    parts.scheme = scheme
    guard parts.userInfo == nil else {
      throw AuthorityError(
        .userInfo, "The authority has a user name or password in front of its host.",
        recoverySuggestion: "Remove everything between // and @, and make sure that what follows is the host you mean.")
    }
    guard parts.fragment == nil else {
      throw AuthorityError(
        .fragment, "The authority has a fragment (#).", suggestion: parts.with { $0.fragment = nil },
        recoverySuggestion: "Remove the # and what follows it.")
    }
    do throws(AuthorityError) {
      host = try HostName.read(written)
    } catch {
      var fault = error
      fault.suggestion = error.suggestion.map { host in parts.with { $0.host = host } }
      throw fault
    }
    guard parts.port.map(URLParts.isPort) ?? true else {
      throw AuthorityError(
        .invalidPort, "The authority's port is not a number from 1 to 65535.", suggestion: parts.with { $0.port = nil },
        recoverySuggestion: "Remove the colon and what follows it, or write the port that the service listens on.")
    }
    guard scheme == "https" || (scheme == "http" && Loopback.isLoopback(host: host)) else {
      throw AuthorityError(
        .insecureScheme, "The authority uses \(scheme), not https.", suggestion: parts.with { $0.scheme = "https" },
        recoverySuggestion: "Use https. Plain http is allowed to this machine only (localhost, 127.0.0.1, [::1]).")
    }
    self.scheme = scheme
    let port = parts.port.flatMap { Int($0) }
    self.port = port == (scheme == "https" ? 443 : 80) ? nil : port
    segments = parts.path.split(separator: "/").map(String.init)
    for segment in segments { try Self.checkSegment(segment) }
    policies = FormEncoding.decode(parts.query ?? "").filter { $0.name.lowercased() == "p" }.map(\.value)
  }

  static let example = "An authority looks like https://contoso.b2clogin.com/contoso.onmicrosoft.com/."

  /// Returns a text without `://`, perhaps with a part of it, as it was probably meant.
  private static func withScheme(_ text: String) -> String {
    // The tenant's first name, or the name in front of it alone, as the portal's overview shows them.
    if TenantName.isValid(text), let home = TenantName.b2cHome(of: text) { return home }
    if TenantName.isValid(text), !text.contains("."), !GUID.isGUID(text), !Loopback.isLoopback(host: text),
      !TenantName.shared.contains(text.lowercased())
    {
      return TenantName.b2cHome(of: text + "." + Cloud.global.tenantDomain) ?? "https://" + text
    }
    let start = ["https:", "http:"].first { text.lowercased().hasPrefix($0) } ?? ""
    return "https://" + text.dropFirst(start.count).drop { $0 == "/" }
  }

  private static func checkCharacters(_ text: String) throws(AuthorityError) {
    guard text.unicodeScalars.count <= limit else {
      throw AuthorityError(.tooLong, "The authority is longer than \(limit) characters.", recoverySuggestion: example)
    }
    // Spaces first: a newline at the end of a pasted line counts as one.
    let trimmed = text.unicodeScalars.drop { $0.properties.isWhitespace }
    guard !trimmed.isEmpty else {
      throw AuthorityError(.notAURL, "The authority is empty.", recoverySuggestion: example)
    }
    if let control = text.unicodeScalars.first(where: { !ShownText.isVisible($0) }) {
      throw AuthorityError(
        .controlCharacter,
        "The authority contains the invisible character U+\(String(control.value, radix: 16, uppercase: true)).",
        suggestion: ShownText.filter(text, ShownText.isVisible),
        recoverySuggestion: "Type the authority instead of pasting it.")
    }
    if text.unicodeScalars.contains(where: \.properties.isWhitespace) {
      throw AuthorityError(
        .whitespace, "The authority contains a space.",
        suggestion: ShownText.filter(text) { !$0.properties.isWhitespace }, recoverySuggestion: "Remove the spaces.")
    }
    if text.contains("\\") {
      throw AuthorityError(
        .backslash, "The authority contains a backslash.", suggestion: text.replacing("\\", with: "/"),
        recoverySuggestion: "Use forward slashes.")
    }
    if text.contains(where: { "<>{}".contains($0) }) {
      throw AuthorityError(
        .placeholder, "The authority still contains a template's placeholder.",
        recoverySuggestion: "Replace it with your tenant's name. " + example)
    }
  }

  /// Refuses dot segments, which a URL parser would resolve, and everything that is not a pchar (RFC 3986 section 3.3).
  private static func checkSegment(_ segment: String) throws(AuthorityError) {
    let decoded = FormEncoding.percentDecode(segment)
    guard URLParts.isSegment(segment), decoded != ".", decoded != "..", !decoded.contains("/"),
      !decoded.contains("\\"), decoded.unicodeScalars.allSatisfy(ShownText.isVisible)
    else {
      throw AuthorityError(
        .invalidPath, "The authority's path contains a part that no URL path may have.", recoverySuggestion: example)
    }
  }
}

/// The rules for a host: a DNS name in ASCII, a plain IPv4 address, or `[::1]`.
enum HostName {
  /// Returns a host without the brackets of an IPv6 address.
  static func read(_ host: String) throws(AuthorityError) -> String {
    guard !host.contains("["), !host.contains("]") else {
      guard host == "[::1]" else { throw fault("may be no other IPv6 address than [::1].") }
      return "::1"
    }
    guard !host.isEmpty else { throw fault("is missing.") }
    // A look-alike of Microsoft's hosts from another script ends here.
    guard host.utf8.allSatisfy({ $0 < 0x80 }) else {
      throw fault(
        "contains characters that are not ASCII.",
        recovery: "Compare the host with your provider's documentation, letter by letter.")
    }
    if host.hasSuffix("."), host.count > 1 {
      throw fault("ends in a dot.", suggestion: String(host.dropLast()), recovery: "Remove the dot.")
    }
    let labels = host.split(separator: ".", omittingEmptySubsequences: false)
    guard host.utf8.count <= 253, labels.allSatisfy(isLabel) else { throw fault("is not a DNS name.") }
    // A last label that is a number makes a resolver read the whole as an address, also 127.1 and 0x7f000001.
    if let last = labels.last, isNumeric(last) {
      guard labels.count == 4, labels.allSatisfy({ UInt8($0).map(String.init) == String($0) }) else {
        throw fault("is not an IPv4 address of four decimal numbers.")
      }
    }
    return host
  }

  private static func fault(
    _ message: String, suggestion: String? = nil, recovery: String = AuthorityText.example
  ) -> AuthorityError {
    AuthorityError(
      .invalidHost, "The authority's host " + message, suggestion: suggestion, recoverySuggestion: recovery)
  }

  static func isAlphanumeric(_ byte: UInt8) -> Bool { URLParts.isLetter(byte) || URLParts.isDigit(byte) }

  /// RFC 1123 section 2.1: letters, digits and inner hyphens, at most 63.
  private static func isLabel(_ label: Substring) -> Bool {
    (1...63).contains(label.utf8.count) && !label.hasPrefix("-") && !label.hasSuffix("-")
      && label.utf8.allSatisfy { isAlphanumeric($0) || $0 == UInt8(ascii: "-") }
  }

  private static func isNumeric(_ label: Substring) -> Bool {
    let text = label.lowercased()
    return text.allSatisfy(\.isNumber) || (text.hasPrefix("0x") && text.dropFirst(2).allSatisfy(\.isHexDigit))
  }
}

extension URLParts {
  /// Returns the text after a change of one part.
  fileprivate func with(_ change: (inout URLParts) -> Void) -> String {
    var copy = self
    change(&copy)
    return copy.text
  }
}
