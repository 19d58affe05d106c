package import Foundation

/// The names and addresses of this machine, to which plain http is allowed.
package enum Loopback {
  /// Whether a host is this machine, which is `127.0.0.0/8`, `::1` (with or without brackets) or `localhost`.
  package static func isLoopback(host: String) -> Bool {
    let host = host.lowercased()
    return ["localhost", "::1", "[::1]"].contains(host) || (host.hasPrefix("127.") && isIPv4(host))
  }

  /// Whether a host is an IPv4 address in the usual form, because some parsers read `010` as 8, and `UInt8` reads `+1`
  /// as 1.
  package static func isIPv4(_ host: String) -> Bool {
    let parts = host.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 4 && parts.allSatisfy { UInt8($0).map(String.init) == String($0) }
  }

  /// Whether the SDK may send a request to a URL, which must be https, or http to this machine.
  package static func isAllowed(_ url: URL) -> Bool {
    guard let host = url.host, !host.isEmpty else { return false }
    let scheme = url.scheme?.lowercased()
    return scheme == "https" || (scheme == "http" && isLoopback(host: host))
  }
}
