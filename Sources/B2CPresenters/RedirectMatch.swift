package import B2CCore
package import Foundation

/// Tells whether a callback came to the registered redirect URI, and to which form of it.
package enum RedirectMatch {
  /// Returns the redirect URI that a callback really came to.
  ///
  /// All must be equal but the query (RFC 9700 section 2.1); only a loopback redirect that is registered without a port
  /// may have any (RFC 8252 section 7.3).
  package static func redirectURI(of callback: URL, registered: URL) throws(ConnectorError) -> URL {
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
    let scheme = text.prefix { $0 != ":" }.lowercased()
    let rest = text.dropFirst(scheme.count)
    // A browser adds the slash of an empty path and lower-cases the host.
    guard rest.hasPrefix("://") else { return scheme + rest }
    let host = rest.dropFirst(3).prefix { $0 != "/" }
    let path = rest.dropFirst(3 + host.count)
    return scheme + "://" + host.lowercased() + (path.isEmpty ? "/" : path)
  }
}

extension URL {
  /// The URL as it is written, without query and fragment.
  var textBeforeQuery: Substring { absoluteString.prefix { $0 != "?" && $0 != "#" } }
}

/// Recognizes the callback of a sign-in by its state.
package enum CallbackState {
  /// Whether parameters carry a state exactly once and it is the right one.
  package static func isRight(_ pairs: [(name: String, value: String)], for state: Secret) -> Bool {
    let states = pairs.filter { ASCIIText.isSame($0.name, "state") }
    return states.count == 1 && state.isEqualInConstantTime(to: Secret(states[0].value))
  }

  /// Whether a URL came to the redirect URI with the right state, in the part that the rest is read from.
  package static func isRight(_ url: URL, redirectURI: URL, state: Secret) -> Bool {
    isAtRedirect(url, redirectURI) && isRight(CallbackParameters.pairs(of: url), for: state)
  }

  /// Whether a URL came to the redirect URI, which is enough to end the wait of a sign-out.
  package static func isAtRedirect(_ url: URL, _ redirectURI: URL) -> Bool {
    (try? RedirectMatch.redirectURI(of: url, registered: redirectURI)) != nil
  }
}
