internal import B2CCore
internal import Foundation

/// Redirect URIs to this machine, whose port may differ.
enum LoopbackRedirect {
  /// The URI without its port, or `nil` when it is no http URI to this machine.
  static func withoutPort(_ text: String) -> String? {
    guard var components = URLComponents(string: text), components.scheme == "http",
      let host = components.host, Loopback.isLoopback(host: host)
    else { return nil }
    components.port = nil
    return components.string
  }
}
