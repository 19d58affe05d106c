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
    guard !text.contains(where: { "<>{}".contains($0) }) else {
      throw AuthorityFault(
        .placeholder, "The authority still contains a template's placeholder.",
        recoverySuggestion: "Replace it with your tenant's name. " + Self.example)
    }
    // A look-alike of Microsoft's hosts from another script ends here.
    guard text.utf8.count <= Self.limit, let parts = URLComponents(plain: text), parts.fragment == nil,
      let scheme = parts.scheme?.lowercased(), let host = parts.encodedHost
    else {
      throw AuthorityFault(
        .notAURL,
        "The authority needs a scheme and a host, visible ASCII characters alone, no fragment (#), and a port, if any, "
          + "from 1 to 65535.",
        suggestion: Self.corrected(text), recoverySuggestion: "Type it instead of pasting it. " + Self.example)
    }
    guard parts.user == nil, parts.password == nil else {
      throw AuthorityFault(
        .userInfo, "The authority has a user name or password in front of its host.",
        recoverySuggestion: "Remove everything between // and @, and make sure that what follows is the host you mean.")
    }
    guard Self.isPlainHost(host) else {
      throw AuthorityFault(
        .invalidHost, "The authority's host is not a DNS name, an IPv4 address of four decimal numbers, or [::1].",
        recoverySuggestion: Self.example)
    }
    guard scheme == "https" || (scheme == "http" && Loopback.isLoopback(host: host)) else {
      throw AuthorityFault(
        .insecureScheme, "The authority uses \(scheme), not https.",
        suggestion: "https" + text.dropFirst(scheme.count),
        recoverySuggestion: "Use https. Plain http is allowed to this machine only (localhost, 127.0.0.1, [::1]).")
    }
    self.scheme = scheme
    self.host = host == "[::1]" ? "::1" : host
    port = parts.port == (scheme == "https" ? 443 : 80) ? nil : parts.port
    segments = parts.percentEncodedPath.split(separator: "/").map(String.init)
    guard segments.allSatisfy(Self.isPlainSegment) else {
      throw AuthorityFault(
        .invalidPath, "The authority's path contains a part that no URL path may have.",
        recoverySuggestion: Self.example)
    }
    policies = FormEncoding.decode(parts.percentEncodedQuery ?? "").filter { $0.name.lowercased() == "p" }.map(\.value)
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

  /// Returns a text that is not plain as it was probably meant: with slashes and a scheme, without a fragment and
  /// everything that a reader does not see.
  private static func corrected(_ text: String) -> String {
    let visible = ShownText.filter(text) { ShownText.isVisible($0) && !$0.properties.isWhitespace }
    let plain = visible.replacing("\\", with: "/").prefix { $0 != "#" }
    return plain.contains("://") ? String(plain) : withScheme(String(plain))
  }

  /// Whether a host is a DNS name in ASCII, a plain IPv4 address, or `[::1]`.
  private static func isPlainHost(_ host: String) -> Bool {
    if host == "[::1]" { return true }
    let labels = host.split(separator: ".", omittingEmptySubsequences: false)
    // RFC 1123 section 2.1: letters, digits and inner hyphens, at most 63.
    let areLabels = labels.allSatisfy {
      $0.utf8.count <= 63 && $0.wholeMatch(of: /[A-Za-z0-9]([A-Za-z0-9\-]*[A-Za-z0-9])?/) != nil
    }
    guard host.utf8.count <= 253, areLabels else { return false }
    // A last label that is a number makes a resolver read the whole as an address, also 127.1 and 0x7f000001.
    guard labels.last?.wholeMatch(of: /[0-9]+|0[xX][0-9A-Fa-f]*/) != nil else { return true }
    return labels.count == 4 && labels.allSatisfy { UInt8($0).map(String.init) == String($0) }
  }

  /// Whether a segment is no dot segment, which a URL parser would resolve, and has no slash or control as an escape.
  private static func isPlainSegment(_ segment: String) -> Bool {
    let decoded = FormEncoding.percentDecode(segment)
    return decoded != "." && decoded != ".."
      && decoded.unicodeScalars.allSatisfy { ShownText.isVisible($0) && $0 != "/" && $0 != "\\" }
  }
}
