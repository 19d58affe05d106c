package import Foundation

/// The names and addresses of this machine itself, for the one exception to https.
package enum Loopback {
  /// Whether a host name means this machine: `127.0.0.0/8`, `::1` (with or without brackets) or `localhost`.
  package static func isLoopback(host: String) -> Bool {
    let host = host.lowercased()
    return ["localhost", "::1", "[::1]"].contains(host) || (host.hasPrefix("127.") && isIPv4(host))
  }

  /// Whether a host is an IPv4 address of four decimal numbers: some readers take 010 for 8, and `UInt8` takes +1 for 1.
  package static func isIPv4(_ host: String) -> Bool {
    let parts = host.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 4 && parts.allSatisfy { UInt8($0).map(String.init) == String($0) }
  }

  /// Whether the package may send a request to a URL: https, or http to this machine.
  package static func isAllowed(_ url: URL) -> Bool {
    guard let host = url.host, !host.isEmpty else { return false }
    let scheme = url.scheme?.lowercased()
    return scheme == "https" || (scheme == "http" && isLoopback(host: host))
  }
}
