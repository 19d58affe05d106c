internal import Foundation

/// Scheme, host and port of a URL as one text in lower case, the port only where it is not the scheme's own.
enum LocalOrigin {
  static func text(_ url: URL) -> String {
    let scheme = (url.scheme ?? "").lowercased()
    let host = (url.host ?? "").lowercased()
    let shownHost = host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host
    guard let port = url.port, port != (scheme == "https" ? 443 : 80) else { return "\(scheme)://\(shownHost)" }
    return "\(scheme)://\(shownHost):\(port)"
  }
}
