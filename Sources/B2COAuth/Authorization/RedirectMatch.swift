internal import B2CCore
internal import B2CIDToken
internal import Foundation

/// Tells whether a callback came to the registered redirect URI, and to which form of it.
enum RedirectMatch {
  /// Returns the redirect URI that a callback really came to.
  ///
  /// All must be equal but the query (RFC 9700 section 2.1); only a loopback redirect that is registered without a port
  /// may have any (RFC 8252 section 7.3).
  static func redirectURI(of callback: URL, registered: URL) throws(ConnectorError) -> URL {
    let wanted = place(of: registered)
    let got = place(of: callback)
    if got == wanted { return registered }
    if registered.scheme?.lowercased() == "http", registered.port == nil,
      let host = registered.host, Loopback.isLoopback(host: host), callback.host?.lowercased() == host.lowercased(),
      let port = callback.port, var components = URLComponents(url: registered, resolvingAgainstBaseURL: false)
    {
      components.port = port
      if let url = components.url, place(of: url) == got { return url }
    }
    throw ConnectorError(
      own: .invalidResponse, "The callback came to another place than the redirect URI.",
      recoverySuggestion: "Pass on the callback URL unchanged, and only those that start with the redirect URI.")
  }

  private static func place(of url: URL) -> String {
    let text = url.textBeforeQuery
    guard let schemeEnd = text.range(of: ":") else { return String(text) }
    var rest = text[schemeEnd.upperBound...]
    // A browser adds the slash of an empty path and lower-cases the host.
    guard rest.hasPrefix("//") else { return text[..<schemeEnd.lowerBound].lowercased() + ":" + rest }
    rest = rest.dropFirst(2)
    let host = rest.prefix { $0 != "/" }
    let path = rest.dropFirst(host.count)
    return text[..<schemeEnd.lowerBound].lowercased() + "://" + host.lowercased() + (path.isEmpty ? "/" : path)
  }
}

extension URL {
  /// The URL as it is written, without query and fragment.
  var textBeforeQuery: Substring { absoluteString.prefix { $0 != "?" && $0 != "#" } }
}
