import B2CCore

/// The parts of an authority's text, taken apart by hand.
///
/// Not by `URL(string:)`: it mends a bad escape, a blank or a port of 99999 without a word, and what it finds behind a
/// backslash depends on the platform. Here every fault is named before a `URL` is made.
struct AuthorityText {
  private static let limit = 2_048

  /// `https` or `http`.
  let scheme: String
  /// The host in the developer's case; an IPv6 address has no brackets here.
  let host: String
  /// The port, unless it is the scheme's own.
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
    guard let start = text.firstRange(of: "://") else {
      throw Defect(
        .notAURL, "The authority has no scheme with :// behind it.", mended: Self.withScheme(text),
        recovery: Self.example)
    }
    let rest = text[start.upperBound...]
    let scheme = text[..<start.lowerBound].lowercased()
    guard !scheme.isEmpty, scheme.utf8.allSatisfy(Self.isSchemeByte) else {
      throw Defect(.notAURL, "The authority has no readable scheme.", recovery: Self.example)
    }
    let authority = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
    guard !authority.contains("@") else {
      throw Defect(
        .userInfo, "The authority has a user name or password in front of its host.",
        recovery: "Remove everything between // and @, and make sure that what follows is the host you mean.")
    }
    if let hash = rest.firstIndex(of: "#") {
      throw Defect(
        .fragment, "The authority has a fragment (#).", mended: String(text[..<hash]),
        recovery: "Remove the # and what follows it.")
    }
    let suffix = String(rest[authority.endIndex...])
    let endpoint = try HostAndPort(String(authority), prefix: scheme + "://", suffix: suffix)
    guard scheme == "https" || (scheme == "http" && Loopback.isLoopback(host: endpoint.host)) else {
      throw Defect(
        .insecureScheme, "The authority is reached by \(scheme), not by https.", mended: "https://" + rest,
        recovery: "Use https. Plain http is allowed to this machine only (localhost, 127.0.0.1, [::1]).")
    }
    self.scheme = scheme
    host = endpoint.host
    port = endpoint.port == (scheme == "https" ? 443 : 80) ? nil : endpoint.port
    let path = rest[authority.endIndex...].prefix { $0 != "?" }
    segments = path.split(separator: "/").map(String.init)
    for segment in segments {
      try Self.checkSegment(segment)
    }
    let query = rest[path.endIndex...].dropFirst()
    policies = FormEncoding.decode(query).filter { $0.name.lowercased() == "p" }.map(\.value)
  }

  static let example = "An authority looks like https://contoso.b2clogin.com/contoso.onmicrosoft.com/."

  /// A text without `://`, perhaps with a part of it, as it was probably meant.
  private static func withScheme(_ text: String) -> String {
    // The tenant's name alone, as the portal's overview shows it.
    if TenantName.isValid(text), !text.contains("."), !TenantName.isGUID(text), !Loopback.isLoopback(host: text),
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
    // Blanks first: a newline at the end of a pasted line is a blank to whoever pasted it.
    let trimmed = text.unicodeScalars.drop { $0.properties.isWhitespace }
    guard !trimmed.isEmpty else { throw Defect(.notAURL, "The authority is empty.", recovery: example) }
    if let control = text.unicodeScalars.first(where: { !ShownText.isVisible($0) }) {
      throw Defect(
        .controlCharacter,
        "The authority has the invisible character U+\(String(control.value, radix: 16, uppercase: true)).",
        mended: text.keeping(ShownText.isVisible), recovery: "Type the authority anew instead of pasting it.")
    }
    if text.unicodeScalars.contains(where: \.properties.isWhitespace) {
      throw Defect(
        .whitespace, "The authority has a blank in or around it.",
        mended: text.keeping { !$0.properties.isWhitespace }, recovery: "Remove the blanks.")
    }
    if text.contains("\\") {
      throw Defect(
        .backslash, "The authority has a backslash.", mended: text.replacing("\\", with: "/"),
        recovery: "Use forward slashes.")
    }
    if text.contains(where: { "<>{}".contains($0) }) {
      throw Defect(
        .placeholder, "The authority still has a placeholder of a template in it.",
        recovery: "Put your tenant's name in its place. " + example)
    }
  }

  private static func isSchemeByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"),
      UInt8(ascii: "-"), UInt8(ascii: "."):
      true
    default: false
    }
  }

  /// RFC 3986 section 3.3: pchar only, escapes well formed, and no dot segments, which a reader would resolve.
  private static func checkSegment(_ segment: String) throws(Defect) {
    let decoded = FormEncoding.unescape(segment.replacing("+", with: "%2B"))
    guard PathSegment.isWellFormed(segment), decoded != ".", decoded != "..", !decoded.contains("/"),
      !decoded.contains("\\"), decoded.unicodeScalars.allSatisfy(ShownText.isVisible)
    else {
      throw Defect(.invalidPath, "The authority's path has a part that no URL path may have.", recovery: example)
    }
  }
}
