import B2CCore
import Foundation

// The redirect URI.
extension SettingsReader {
  /// Schemes that a browser keeps to itself or gives to programs that are no app of ours.
  private static let foreignSchemes: Set<String> = [
    "about", "blob", "chrome", "data", "file", "filesystem", "ftp", "ftps", "geo", "intent", "itms-apps",
    "javascript", "mailto", "resource", "sms", "tel", "vbscript", "view-source", "ws", "wss",
  ]
  /// What the portal's and the tutorials' test runs come back to.
  private static let foreignPages: Set<String> = ["jwt.ms", "jwt.io", "oidcdebugger.com", "oauth.pstmn.io"]
  /// The only names of this machine that a listener answers to.
  private static let listened: Set<String> = ["localhost", "127.0.0.1", "[::1]"]
  private static let outOfBand: Set<String> = ["urn:ietf:wg:oauth:2.0:oob", "urn:ietf:wg:oauth:2.0:oob:auto"]

  /// The redirect URI exactly as it is written, since the server compares it character by character.
  mutating func readRedirectURI() -> URL? {
    guard let entry = text(.redirectURI, isRequired: true) else { return nil }
    if let stray = URLParts.strayCharacter(in: entry.text) {
      let code = String(stray.value, radix: 16, uppercase: true)
      return refuse(entry, "The redirect URI has a character that no URI has: U+\(code).")
    }
    let parts = URLParts(entry.text)
    guard let scheme = parts.scheme?.lowercased() else {
      return refuse(entry, "The redirect URI has no scheme, so that nothing can come back to the app.")
    }
    if parts.host == nil, parts.path.utf8.first.map({ (0x30...0x39).contains($0) }) == true {
      let start = Loopback.isLoopback(host: scheme) ? "http://" : "https://"
      return refuse(entry, "The redirect URI has no scheme, only a host and a port.", start + entry.text)
    }
    guard parts.userInfo == nil else {
      return refuse(entry, showsValue: false, "The redirect URI carries a user name or a password.")
    }
    if parts.fragment != nil {
      var mended = parts
      mended.fragment = nil
      return refuse(
        entry, "The redirect URI has a fragment (#), which OAuth forbids (RFC 6749 section 3.1.2).", mended.text)
    }
    guard let url = URL(string: entry.text), url.absoluteString == entry.text else {
      return refuse(entry, "The redirect URI is no URI.")
    }
    return check(entry, parts, scheme: scheme) ? url : nil
  }

  private mutating func check(_ entry: Entry, _ parts: URLParts, scheme: String) -> Bool {
    switch scheme {
    case "https", "http":
      return checkWebRedirect(entry, parts, scheme: scheme)
    case "urn":
      guard Self.outOfBand.contains(entry.text.lowercased()) else {
        return refuse(entry, "No browser comes back from a urn.") != nil
      }
      warn(
        entry, .outOfBandRedirectURI,
        "No browser comes back from the out-of-band redirect URI: the user has to copy the answer by hand.",
        "Register a redirect URI of the app's own, such as com.contoso.tasks:/redirect, or use ManualPresenter.")
    case _ where Self.foreignSchemes.contains(scheme):
      return refuse(entry, "A redirect to \(scheme): never reaches the app.") != nil
    case _ where !Self.isDistinct(scheme):
      warn(
        entry, .ambiguousRedirectScheme,
        "The scheme \(Shown.value(scheme) ?? "") has no dot: another app may have the same (RFC 8252 section 7.1).",
        "Use a domain name of yours, reversed, as the scheme, such as com.contoso.tasks:/redirect.")
    default: break
    }
    return true
  }

  private mutating func checkWebRedirect(_ entry: Entry, _ parts: URLParts, scheme: String) -> Bool {
    guard parts.hasUsableHost, let host = parts.host else {
      return refuse(entry, "The redirect URI has no host, or a host or port that cannot be.") != nil
    }
    var mended = parts
    if Loopback.isLoopback(host: host) {
      guard !Self.listened.contains(host.lowercased()) || scheme == "https" else { return true }
      if !Self.listened.contains(host.lowercased()) { mended.host = "127.0.0.1" }
      mended.scheme = "http"
      return refuse(
        entry,
        scheme == "https"
          ? "No presenter answers https on this machine; the registration has to say http too."
          : "No presenter listens on this address of this machine.",
        mended.text) != nil
    }
    if Self.foreignPages.contains(host.lowercased()) {
      warn(
        entry, .foreignRedirectURI, "\(host) is a page for trying policies out, which gives its answer to no app.",
        "Register a redirect URI of the app's own, such as com.contoso.tasks:/redirect or http://localhost:8400/.")
    }
    guard scheme == "http" else { return true }
    mended.scheme = "https"
    return refuse(entry, "A redirect over http to another machine gives the code away.", mended.text) != nil
  }

  /// A reversed domain name, or one of the forms that Microsoft's libraries register.
  private static func isDistinct(_ scheme: String) -> Bool {
    scheme.contains(".") || (scheme.hasPrefix("msal") && GUID.isGUID(scheme.dropFirst(4)))
  }

  private mutating func refuse(
    _ entry: Entry, showsValue: Bool = true, _ message: String, _ mended: String? = nil
  ) -> URL? {
    findings.add(
      .about(entry, .invalidRedirectURI, showsValue: showsValue, message, correctedValue: mended), at: entry.offset)
    return nil
  }

  private mutating func warn(_ entry: Entry, _ kind: SettingsProblem.Kind, _ message: String, _ advice: String) {
    findings.add(.about(entry, kind, severity: .warning, message, advice: advice), at: entry.offset)
  }
}
