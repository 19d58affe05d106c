@_exported public import B2CCore
internal import Foundation

/// The checked parts of an authority's text, which is refused if URL parsers could read it in different ways.
struct AuthorityText {
  /// The text `scheme://host[:port]` in the developer's spelling, without the scheme's default port.
  let origin: String
  /// The host in the developer's spelling, without brackets around an IPv6 address.
  let host: String
  /// The segments of the path as written, without empty ones, in which all escapes are complete.
  let segments: [String]
  /// The decoded values of all parameters `p` in the query.
  let policies: [String]

  init(_ text: String) throws(AuthorityFault) {
    // This also refuses hosts with letters of other scripts, which can look like Microsoft's, and placeholders.
    guard text.utf8.count <= 2_048, let parts = URLComponents(plain: text), parts.fragment == nil,
      let scheme = parts.scheme?.lowercased(), let host = parts.encodedHost
    else {
      let message =
        text.contains("://") || text.contains("\\")
        ? "The authority is not a URL with a scheme, a host, plain characters and a valid port, or it has a fragment (#)."
        : "The authority does not begin with https://."
      var fault = AuthorityFault(foreignTo: text) ?? AuthorityFault(message: message)
      fault.suggestion = Self.corrected(fault.suggestion ?? text)
      throw fault
    }
    guard parts.user == nil, parts.password == nil else {
      throw AuthorityFault(
        message: "The authority contains a user name or a password before its host.",
        recoverySuggestion: "Remove everything between // and @, and make sure that what follows is the host you mean.")
    }
    guard Self.isPlainHost(host) else {
      throw AuthorityFault(
        message: "The authority's host is not a DNS name, an IPv4 address of four decimal numbers, or [::1].")
    }
    guard scheme == "https" || (scheme == "http" && Loopback.isLoopback(host: host)) else {
      throw AuthorityFault(
        message: "The authority uses \(scheme), not https.", suggestion: "https" + text.dropFirst(scheme.count),
        recoverySuggestion: "Use https. Plain http is allowed to this machine only (localhost, 127.0.0.1, [::1]).")
    }
    let port = parts.port.flatMap { $0 == (scheme == "https" ? 443 : 80) ? nil : ":\($0)" } ?? ""
    origin = scheme + "://" + host + port
    self.host = host == "[::1]" ? "::1" : host
    segments = parts.percentEncodedPath.split(separator: "/").map(String.init)
    guard segments.allSatisfy(Self.isPlainSegment) else {
      throw AuthorityFault(message: "The authority's path contains a part that no URL path may have.")
    }
    policies = FormEncoding.decode(parts.percentEncodedQuery ?? "").filter { $0.name.lowercased() == "p" }.map(\.value)
  }

  private static let schemeAndSlashes = Pattern(/^(?:https?:)?\/*/.ignoresCase())
  private static let label = Pattern(/[A-Za-z0-9](?:[A-Za-z0-9\-]{0,61}[A-Za-z0-9])?/)
  private static let numberAtTheEnd = Pattern(/(?:^|\.)(?:[0-9]+|0[xX][0-9A-Fa-f]*)$/)

  static let example = "An authority looks like https://contoso.b2clogin.com/contoso.onmicrosoft.com/."

  /// Returns the text that was probably meant, with slashes and a scheme, but no fragment or invisible characters.
  private static func corrected(_ text: String) -> String? {
    let visible = text.unicodeScalars.filter(PrintableText.isVisible)
    let plain = String(visible).replacing("\\", with: "/").prefix { $0 != "#" }
    guard !plain.contains("://") else { return String(plain) }
    // The Azure portal shows only the tenant's domain, so developers paste that.
    if let origin = TenantName.b2cOrigin(of: String(plain)) { return "\(origin)/\(plain)/" }
    let bare = plain.replacing(schemeAndSlashes, with: "")
    return bare.contains(".") ? "https://" + bare : nil
  }

  /// Whether a text is a DNS name, whose labels are ASCII letters, digits and inner hyphens (RFC 1123 section 2.1).
  static func isDNSName(_ text: String) -> Bool {
    text.utf8.allSatisfy { $0 < 0x80 }
      && text.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { $0.wholeMatch(of: label) != nil }
  }

  /// Whether a host is a DNS name, an IPv4 address in the usual form, or `[::1]`.
  private static func isPlainHost(_ host: String) -> Bool {
    // If the last label is a number, for example in 127.1 or 0x7f000001, the system reads the host as an IPv4 address.
    let endsInNumber = host.firstMatch(of: numberAtTheEnd) != nil
    return host == "[::1]" || (isDNSName(host) && (Loopback.isIPv4(host) || !endsInNumber))
  }

  /// Whether a segment is neither `.` nor `..`, which parsers remove, and has no escaped slash or control character.
  private static func isPlainSegment(_ segment: String) -> Bool {
    let decoded = FormEncoding.percentDecode(segment)
    return decoded != "." && decoded != ".."
      && decoded.unicodeScalars.allSatisfy { ($0 == " " || PrintableText.isVisible($0)) && $0 != "/" && $0 != "\\" }
  }
}

/// The reason why a text is not an authority, in the parts that a problem of the settings has.
///
/// It contains no secrets, because it does not repeat the text, and a suggestion is always a text that is accepted.
package struct AuthorityFault: Error {
  /// The fault, in a sentence.
  package var message: String
  /// The corrected text, if it is known.
  package var suggestion: String?
  /// A sentence about how to fix the fault.
  package var recoverySuggestion: String? = AuthorityText.example

  /// The fault as an error of a call that was passed the text.
  package var error: ConnectorError {
    let advice = [suggestion.map { "Write \"\($0)\"." }, recoverySuggestion].compactMap(\.self).joined(separator: " ")
    return ConnectorError(own: .configuration, message, recoverySuggestion: advice)
  }
}

extension AuthorityFault {
  private static let labelOfOneAlphabet = Pattern(/[\p{Latin}0-9\-]+|[[\p{L}\p{M}\p{N}\-]--[A-Za-z]]+/)

  /// Creates the fault for invisible characters, or for letters beyond ASCII in the host, or `nil` without any.
  package init?(foreignTo text: String) {
    let seen = String(text.unicodeScalars.filter { PrintableText.isVisible($0) || $0.properties.isWhitespace })
    let start = seen.range(of: "://")?.upperBound ?? seen.startIndex
    let host = String(seen[start...].prefix { !"/?#\\:".contains($0) })
    guard !host.allSatisfy(\.isASCII) || seen.unicodeScalars.count < text.unicodeScalars.count else { return nil }
    // A label with letters of two alphabets may imitate another host, so no ASCII form of it is suggested.
    let isPlain = host.precomposedStringWithCompatibilityMapping.split { ".\u{3002}".contains($0) }.allSatisfy {
      $0.wholeMatch(of: Self.labelOfOneAlphabet) != nil
    }
    // Foundation converts such a host to its ASCII form (RFC 5891), which is a useful suggestion.
    let known = isPlain ? URLComponents(string: "https://\(host)/")?.encodedHost : nil
    self.init(
      message: "The address has a character that cannot be seen, or its host has letters or dots beyond ASCII.",
      suggestion: known.map { seen[..<start] + $0 + seen[start...].dropFirst(host.count) },
      recoverySuggestion: "Type the host in ASCII, in which a name with other letters begins with xn--.")
  }
}
