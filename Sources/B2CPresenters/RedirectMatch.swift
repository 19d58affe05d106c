package import B2CCore
package import Foundation

/// The comparison of a callback with the registered redirect URI.
package enum RedirectMatch {
  /// Returns the redirect URI that a callback arrived at.
  ///
  /// Everything but the query must be equal (RFC 9700 section 2.1). Only a loopback redirect URI that is registered
  /// without a port may have any port (RFC 8252 section 7.3).
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
      own: .invalidResponse, "The callback URL does not match the redirect URI.",
      recoverySuggestion: "Pass on only URLs that start with the redirect URI, and do not change them.")
  }

  private static func place(of url: URL) -> String {
    let text = url.textBeforeQuery
    let scheme = text.prefix { $0 != ":" }.lowercased()
    let rest = text.dropFirst(scheme.count)
    // A browser adds the slash of an empty path and turns the host into lower case.
    guard rest.hasPrefix("://") else { return scheme + rest }
    let host = rest.dropFirst(3).prefix { $0 != "/" }
    let path = rest.dropFirst(3 + host.count)
    return scheme + "://" + host.lowercased() + (path.isEmpty ? "/" : path)
  }
}

extension URL {
  /// The URL as it is written, without its query and its fragment.
  var textBeforeQuery: Substring { absoluteString.prefix { $0 != "?" && $0 != "#" } }
}

/// The check of a callback's state.
package enum CallbackState {
  /// Whether the parameters contain exactly one state and it is the expected one.
  package static func isRight(_ pairs: [(name: String, value: String)], for state: Secret) -> Bool {
    let states = pairs.filter { ASCIIText.isSame($0.name, "state") }
    return states.count == 1 && state.isEqualInConstantTime(to: Secret(states[0].value))
  }

  /// Whether a URL arrived at the redirect URI with the expected state.
  package static func isRight(_ url: URL, redirectURI: URL, state: Secret) -> Bool {
    isAtRedirect(url, redirectURI) && isRight(CallbackParameters.pairs(of: url), for: state)
  }

  /// Whether a URL arrived at the redirect URI, which is enough to end the wait of a sign-out.
  package static func isAtRedirect(_ url: URL, _ redirectURI: URL) -> Bool {
    (try? RedirectMatch.redirectURI(of: url, registered: redirectURI)) != nil
  }
}
