import B2CCore
internal import Foundation

/// The parts of an authority's text, each checked; what readers of URLs read in different ways is refused.
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

  init(_ text: String) throws(AuthorityFault) {
    // A look-alike of Microsoft's hosts from another script ends here, and a template's placeholder.
    guard text.utf8.count <= Self.limit, let parts = URLComponents(plain: text), parts.fragment == nil,
      let scheme = parts.scheme?.lowercased(), let host = parts.encodedHost
    else {
      throw AuthorityFault(
        message: "The authority needs a scheme and a host, only characters that an address may have, no fragment (#), "
          + "and a port, if any, from 1 to 65535.",
        suggestion: Self.corrected(text), recoverySuggestion: "Type it instead of pasting it. " + Self.example)
    }
    guard parts.user == nil, parts.password == nil else {
      throw AuthorityFault(
        message: "The authority has a user name or password in front of its host.",
        recoverySuggestion: "Remove everything between // and @, and make sure that what follows is the host you mean.")
    }
    guard Self.isPlainHost(host) else {
      throw AuthorityFault(
        message: "The authority's host is not a DNS name, an IPv4 address of four decimal numbers, or [::1].",
        recoverySuggestion: Self.example)
    }
    guard scheme == "https" || (scheme == "http" && Loopback.isLoopback(host: host)) else {
      throw AuthorityFault(
        message: "The authority uses \(scheme), not https.", suggestion: "https" + text.dropFirst(scheme.count),
        recoverySuggestion: "Use https. Plain http is allowed to this machine only (localhost, 127.0.0.1, [::1]).")
    }
    self.scheme = scheme
    self.host = host == "[::1]" ? "::1" : host
    port = parts.port == (scheme == "https" ? 443 : 80) ? nil : parts.port
    segments = parts.percentEncodedPath.split(separator: "/").map(String.init)
    guard segments.allSatisfy(Self.isPlainSegment) else {
      throw AuthorityFault(
        message: "The authority's path contains a part that no URL path may have.", recoverySuggestion: Self.example)
    }
    policies = FormEncoding.decode(parts.percentEncodedQuery ?? "").filter { $0.name.lowercased() == "p" }.map(\.value)
  }

  static let example = "An authority looks like https://contoso.b2clogin.com/contoso.onmicrosoft.com/."

  /// Returns a text that is not plain as it was probably meant: with slashes and a scheme, without a fragment and
  /// everything that a reader does not see.
  private static func corrected(_ text: String) -> String? {
    let visible = text.unicodeScalars.filter(isVisible)
    let plain = String(visible).replacing("\\", with: "/").prefix { $0 != "#" }
    guard !plain.contains("://") else { return String(plain) }
    // The tenant's first name, as the portal's overview shows it.
    if let origin = TenantName.b2cOrigin(of: String(plain)) { return "\(origin)/\(plain)/" }
    let bare = plain.replacing(/^(?:https?:)?\/*/.ignoresCase(), with: "")
    return bare.contains(".") ? "https://" + bare : nil
  }

  /// Whether a reader sees a character.
  static func isVisible(_ scalar: Unicode.Scalar) -> Bool {
    PrintableText.isPrintable(scalar) && !scalar.properties.isWhitespace
      && !scalar.properties.isDefaultIgnorableCodePoint
  }

  /// Whether a text is a DNS name: labels of ASCII letters, digits and inner hyphens (RFC 1123 section 2.1).
  static func isDNSName(_ text: String) -> Bool {
    text.utf8.allSatisfy { $0 < 0x80 }
      && text.split(separator: ".", omittingEmptySubsequences: false).allSatisfy {
        $0.wholeMatch(of: /[A-Za-z0-9](?:[A-Za-z0-9\-]{0,61}[A-Za-z0-9])?/) != nil
      }
  }

  /// Whether a host is a DNS name, a plain IPv4 address, or `[::1]`.
  private static func isPlainHost(_ host: String) -> Bool {
    guard host != "[::1]" else { return true }
    guard isDNSName(host) else { return false }
    let labels = host.split(separator: ".")
    // A last label that is a number makes a resolver read the whole as an address, also 127.1 and 0x7f000001.
    guard labels.last?.wholeMatch(of: /[0-9]+|0[xX][0-9A-Fa-f]*/) != nil else { return true }
    return labels.count == 4 && labels.allSatisfy { UInt8($0).map(String.init) == String($0) }
  }

  /// Whether a segment is no dot segment, which a URL parser would resolve, and has no slash or control as an escape.
  private static func isPlainSegment(_ segment: String) -> Bool {
    let decoded = FormEncoding.percentDecode(segment)
    return decoded != "." && decoded != ".."
      && decoded.unicodeScalars.allSatisfy { ($0 == " " || isVisible($0)) && $0 != "/" && $0 != "\\" }
  }
}
