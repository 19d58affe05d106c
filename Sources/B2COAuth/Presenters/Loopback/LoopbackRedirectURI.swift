internal import B2CCore
internal import B2CHTTP
internal import Foundation

/// A redirect URI that leads to this machine, taken apart for a listener.
struct LoopbackRedirectURI {
  /// The redirect URI as it is registered.
  let registered: URL
  /// Its port; 0 when it names none, and the system is to choose.
  let port: UInt16
  /// The path a browser asks for.
  let path: String
  /// The addresses it can mean, the written one first.
  let addresses: [LoopbackAddress]
  /// Whether it names one of the addresses, so that the other is only listened on where that costs nothing.
  let isLiteral: Bool

  /// Takes a redirect URI apart; `nil` when it does not lead to this machine.
  init?(_ url: URL) {
    guard RedirectKind(url) == .loopback,
      let components = URLComponents(url: url, resolvingAgainstBaseURL: true),
      let port = UInt16(exactly: components.port ?? 0)
    else { return nil }
    registered = url
    self.port = port
    path = components.percentEncodedPath.isEmpty ? "/" : components.percentEncodedPath
    let host = (url.host ?? "").lowercased()
    addresses = host.contains(":") ? [.ipv6, .ipv4] : [.ipv4, .ipv6]
    isLiteral = host != "localhost"
  }

  /// The redirect URI with the port that is really listened on; everything else stays as it is written.
  func listening(on port: UInt16) -> URL {
    guard self.port == 0, var components = URLComponents(url: registered, resolvingAgainstBaseURL: true) else {
      return registered
    }
    components.port = Int(port)
    return components.url ?? registered
  }
}
