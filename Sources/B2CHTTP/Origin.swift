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
    // A port that is too large for a number is no port for Foundation.
    let written = URLParts(url.absoluteString)
    guard let scheme = url.scheme?.lowercased(), let port = url.port ?? Self.defaultPort(of: scheme),
      (written.port ?? "").isEmpty || url.port != nil, written.hasNameOrAddress,
      (1...65535).contains(port), url.user == nil, url.password == nil,
      let host = url.host(percentEncoded: true)?.lowercased(), !host.isEmpty, !host.contains("%"),
      !url.absoluteString.utf8.contains(where: { $0 == UInt8(ascii: "\\") || $0 < 0x21 })
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
