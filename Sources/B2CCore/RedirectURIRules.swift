/// The rules for an app's redirect URI, which settings and presenters share.
package enum RedirectURIRules {
  /// The schemes that browsers handle themselves or pass to other programs, so that a redirect would not reach the app.
  package static let foreignSchemes: Set<String> = [
    "about", "blob", "chrome", "data", "file", "filesystem", "ftp", "ftps", "geo", "intent", "itms-apps",
    "javascript", "mailto", "resource", "sms", "tel", "urn", "vbscript", "view-source", "ws", "wss",
  ]
  /// The hosts in a redirect URI for which a loopback listener can be started.
  package static let listenerHosts: Set<String> = ["localhost", "127.0.0.1", "[::1]"]

  /// Returns whether a scheme belongs to one app.
  ///
  /// It does if it is a reversed domain name (RFC 8252 section 7.1), or `msal` and the client ID, as the Azure portal
  /// suggests.
  ///
  /// - Parameter scheme: The scheme in lower case.
  /// - Returns: Whether the scheme belongs to one app.
  package static func isPrivateUse(scheme: String) -> Bool {
    scheme.contains(".") || (scheme.hasPrefix("msal") && GUID.isGUID(scheme.dropFirst(4)))
  }
}
