import B2CCore

/// A fault of a text, before it is known how much of the text may be shown.
struct Defect: Error {
  let code: AuthorityError.Code
  let message: String
  /// The text without this one fault; it may have others, and is never shown before it was read itself.
  let corrected: String?
  let recovery: String?

  init(_ code: AuthorityError.Code, _ message: String, corrected: String? = nil, recovery: String? = nil) {
    self.code = code
    self.message = message
    self.corrected = corrected
    self.recovery = recovery
  }
}

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

  init(_ text: String) throws(Defect) {
    try Self.checkCharacters(text)
    guard text.contains("://") else {
      throw Defect(
        .notAURL, "The authority has no scheme followed by ://.", corrected: Self.withScheme(text),
        recovery: Self.example)
    }
    var parts = URLParts(text)
    guard let scheme = parts.scheme?.lowercased(), let written = parts.host else {
      throw Defect(.notAURL, "The authority has no readable scheme.", recovery: Self.example)
    }
    parts.scheme = scheme
    guard parts.userInfo == nil else {
      throw Defect(
        .userInfo, "The authority has a user name or password in front of its host.",
        recovery: "Remove everything between // and @, and make sure that what follows is the host you mean.")
    }
    guard parts.fragment == nil else {
      throw Defect(
        .fragment, "The authority has a fragment (#).", corrected: parts.with { $0.fragment = nil },
        recovery: "Remove the # and what follows it.")
    }
    do throws(HostName.Fault) {
      host = try HostName.read(written)
    } catch {
      throw Defect(
        .invalidHost, "The authority's host \(error.message)",
        corrected: error.corrected.map { host in parts.with { $0.host = host } }, recovery: error.recovery)
    }
    guard parts.port.map(URLParts.isPort) ?? true else {
      throw Defect(
        .invalidPort, "The authority's port is not a number from 1 to 65535.", corrected: parts.with { $0.port = nil },
        recovery: "Remove the colon and what follows it, or write the port that the service listens on.")
    }
    guard scheme == "https" || (scheme == "http" && Loopback.isLoopback(host: host)) else {
      throw Defect(
        .insecureScheme, "The authority uses \(scheme), not https.", corrected: parts.with { $0.scheme = "https" },
        recovery: "Use https. Plain http is allowed to this machine only (localhost, 127.0.0.1, [::1]).")
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
    // The tenant's name alone, as the portal's overview shows it.
    if TenantName.isValid(text), !text.contains("."), !GUID.isGUID(text), !Loopback.isLoopback(host: text),
      !TenantName.shared.contains(text.lowercased())
    {
      return TenantName.b2cHome(of: text + "." + Cloud.global.tenantDomain) ?? "https://" + text
    }
    let start = ["https:", "http:"].first { text.lowercased().hasPrefix($0) } ?? ""
    return "https://" + text.dropFirst(start.count).drop { $0 == "/" }
  }

  private static func checkCharacters(_ text: String) throws(Defect) {
    guard text.unicodeScalars.count <= limit else {
      throw Defect(.tooLong, "The authority is longer than \(limit) characters.", recovery: example)
    }
    // Spaces first: a newline at the end of a pasted line counts as one.
    let trimmed = text.unicodeScalars.drop { $0.properties.isWhitespace }
    guard !trimmed.isEmpty else { throw Defect(.notAURL, "The authority is empty.", recovery: example) }
    if let control = text.unicodeScalars.first(where: { !ShownText.isVisible($0) }) {
      throw Defect(
        .controlCharacter,
        "The authority contains the invisible character U+\(String(control.value, radix: 16, uppercase: true)).",
        corrected: ShownText.filter(text, ShownText.isVisible), recovery: "Type the authority instead of pasting it.")
    }
    if text.unicodeScalars.contains(where: \.properties.isWhitespace) {
      throw Defect(
        .whitespace, "The authority contains a space.",
        corrected: ShownText.filter(text) { !$0.properties.isWhitespace }, recovery: "Remove the spaces.")
    }
    if text.contains("\\") {
      throw Defect(
        .backslash, "The authority contains a backslash.", corrected: text.replacing("\\", with: "/"),
        recovery: "Use forward slashes.")
    }
    if text.contains(where: { "<>{}".contains($0) }) {
      throw Defect(
        .placeholder, "The authority still contains a template's placeholder.",
        recovery: "Replace it with your tenant's name. " + example)
    }
  }

  /// Refuses dot segments, which a URL parser would resolve, and everything that is not a pchar (RFC 3986 section 3.3).
  private static func checkSegment(_ segment: String) throws(Defect) {
    let decoded = FormEncoding.percentDecode(segment)
    guard URLParts.isSegment(segment), decoded != ".", decoded != "..", !decoded.contains("/"),
      !decoded.contains("\\"), decoded.unicodeScalars.allSatisfy(ShownText.isVisible)
    else {
      throw Defect(.invalidPath, "The authority's path contains a part that no URL path may have.", recovery: example)
    }
  }
}

/// The rules for a host: a DNS name in ASCII, a plain IPv4 address, or `[::1]`.
enum HostName {
  struct Fault: Error {
    /// What is wrong, in words that follow "the host".
    let message: String
    var corrected: String?
    var recovery: String? = AuthorityText.example
  }

  /// Returns a host without the brackets of an IPv6 address.
  static func read(_ host: String) throws(Fault) -> String {
    guard !host.contains("["), !host.contains("]") else {
      guard host == "[::1]" else { throw Fault(message: "may be no other IPv6 address than [::1].") }
      return "::1"
    }
    guard !host.isEmpty else { throw Fault(message: "is missing.") }
    // A look-alike of Microsoft's hosts from another script ends here; one in its xn-- form gets a warning.
    guard host.utf8.allSatisfy({ $0 < 0x80 }) else {
      throw Fault(
        message: "contains characters that are not ASCII.",
        recovery: "Compare the host with your provider's documentation, letter by letter.")
    }
    if host.hasSuffix("."), host.count > 1 {
      throw Fault(message: "ends in a dot.", corrected: String(host.dropLast()), recovery: "Remove the dot.")
    }
    let labels = host.split(separator: ".", omittingEmptySubsequences: false)
    guard host.utf8.count <= 253, labels.allSatisfy(isLabel) else { throw Fault(message: "is not a DNS name.") }
    // A last label that is a number makes a resolver read the whole as an address, also 127.1 and 0x7f000001.
    if let last = labels.last, isNumeric(last) {
      guard labels.count == 4, labels.allSatisfy({ UInt8($0).map(String.init) == String($0) }) else {
        throw Fault(message: "is not an IPv4 address of four decimal numbers.")
      }
    }
    return host
  }

  /// Returns whether a host has a label that stands for letters beyond ASCII (RFC 5890 section 2.3.1).
  static func isInternationalized(_ host: String) -> Bool {
    host.lowercased().split(separator: ".").contains { $0.hasPrefix("xn--") }
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
