package import Foundation

/// The scheme, host and port that a URL leads to (RFC 6454 section 4); what decides whether a token may go there.
package struct Origin: Sendable, Hashable, CustomStringConvertible {
  package let scheme: String
  package let host: String
  package let port: Int

  /// Takes the origin of a URL; `nil` when the URL does not lead to exactly one place for every reader.
  ///
  /// User-info, an escaped host, a backslash, brackets around a name and a port that is no port are refused: URL readers
  /// disagree on where such a URL leads.
  package init?(_ url: URL) {
    // Scheme and authority alone: what a path or a query may contain does not change where the URL leads.
    guard let start = url.absoluteString.prefixMatch(of: /[^:\/?#]+:\/\/[^\/?#]*/),
      let parts = URLComponents(plain: String(start.output)), parts.user == nil, parts.password == nil,
      let scheme = parts.scheme?.lowercased(), let port = parts.port ?? Self.defaultPort(of: scheme),
      let host = parts.encodedHost?.lowercased(), !host.isEmpty, !host.contains("%"),
      // Some readers look up a name in brackets.
      !host.hasPrefix("[") || host.wholeMatch(of: /\[[0-9a-f]*:[0-9a-f]*:[0-9a-f:.]*\]/) != nil
    else { return nil }
    self.scheme = scheme
    self.host = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
    self.port = port
  }

  /// The origin as it is written in a URL, the default port left out.
  package var description: String {
    let name = host.contains(":") ? "[\(host)]" : host
    return "\(scheme)://\(name)" + (port == Self.defaultPort(of: scheme) ? "" : ":\(port)")
  }

  /// The host, and the port unless it is the scheme's default.
  package var hostAndPort: String { String(description.dropFirst(scheme.count + 3)) }

  private static func defaultPort(of scheme: String) -> Int? {
    switch scheme {
    case "https": 443
    case "http": 80
    default: nil
    }
  }
}
