/// The rules for an app's redirect URI, of settings and presenters alike.
package enum RedirectURIRules {
  /// Schemes that a browser keeps to itself or passes to other programs.
  package static let foreignSchemes: Set<String> = [
    "about", "blob", "chrome", "data", "file", "filesystem", "ftp", "ftps", "geo", "intent", "itms-apps",
    "javascript", "mailto", "resource", "sms", "tel", "urn", "vbscript", "view-source", "ws", "wss",
  ]
  /// The only names of this machine that a listener answers to, as in a URL.
  package static let listenerHosts: Set<String> = ["localhost", "127.0.0.1", "[::1]"]

  /// Whether a scheme belongs to one app: a reversed domain name (RFC 8252 section 7.1), or `msal` and the client ID, as
  /// the portal makes it by itself.
  ///
  /// - Parameter scheme: The scheme in lower case.
  /// - Returns: Whether no other app has it.
  package static func isPrivateUse(scheme: String) -> Bool {
    scheme.contains(".") || (scheme.hasPrefix("msal") && GUID.isGUID(scheme.dropFirst(4)))
  }
}
