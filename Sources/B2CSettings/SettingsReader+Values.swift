import B2CAuthority
import B2CCore
import Foundation

// MARK: - The authority, the client, and the scopes

extension SettingsReader {
  func readAuthority() -> Authority? {
    let kind = readAuthorityKind()
    guard let entry = text(.authority, isRequired: true) else { return nil }
    do throws(AuthorityError) {
      return try Authority(entry.text, kind: kind)
    } catch {
      report(entry, .invalidAuthority, error)
      return nil
    }
  }

  private func readAuthorityKind() -> Authority.Kind? {
    guard let entry = text(.authorityKind) else { return nil }
    let kinds: [Authority.Kind] = [.b2c, .ciam, .entra, .openIDConnect]
    if let kind = kinds.first(where: { $0.rawValue.lowercased() == entry.text.lowercased() }) { return kind }
    let nearest = EditDistance.nearest(to: entry.text, among: kinds, name: \.rawValue)?.rawValue
    report(entry, .invalidAuthority, "The kind of authority is unknown.", suggestion: nearest)
    return nil
  }

  func readClientID() -> String? {
    guard let entry = text(.clientID, isRequired: true) else { return nil }
    // Only Microsoft's services issue GUIDs.
    if !isGeneric, !GUID.isGUID(entry.text) {
      report(entry, .invalidClientID, "The client ID is not a GUID.", suggestion: GUID.corrected(entry.text))
    }
    return entry.text
  }

  func readCorrelationID() -> UUID? {
    guard let entry = text(.correlationID) else { return nil }
    if let id = UUID(uuidString: entry.text) { return id }
    report(
      entry, .invalidCorrelationID, "The correlation ID is not a UUID.", suggestion: GUID.corrected(entry.text))
    return nil
  }

  /// Returns the scopes of a key; `nil` when it is missing.
  func readScopes(_ key: SettingsKey, isRequired: Bool = false) -> [String]? {
    guard self[key] != nil else {
      if isRequired { reportMissing(key) }
      return nil
    }
    let entries = list(key)
    for entry in entries where !Self.isScope(entry.text) {
      let parts = entry.text.split(whereSeparator: \.isWhitespace)
      if parts.count > 1, parts.allSatisfy({ Self.isScope(String($0)) }) {
        report(
          entry, .invalidScope, "The string contains several scopes.", recovery: "Write each scope as its own string.")
      } else {
        report(
          entry, .invalidScope, "The scope contains invalid characters (RFC 6749 section 3.3).",
          recovery: isGeneric ? "Copy the scope from the API's documentation." : "Copy the scope from the portal.")
      }
    }
    return entries.map(\.text)
  }

  /// RFC 6749 section 3.3.
  private static func isScope(_ text: String) -> Bool {
    text.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }
  }

  /// Reports scopes that name no API: they bring an id_token alone, with which no API can be called.
  func checkScopes(_ scopes: [String], clientID: String?) {
    // A generic issuer's access token may be for its own userinfo, or for an API that no scope names.
    guard !isGeneric, let node = self[.scopes]?.node, Self.isReadableList(node),
      scopes.allSatisfy({ ReservedScopes.all.contains($0.lowercased()) })
    else { return }
    findings.add(
      .noAPIScope,
      scopes.isEmpty
        ? "There is no scope, so no access token would be issued."
        : "The scopes are reserved names only, which name no API, so no access token would be issued.",
      at: SettingsPath(.scopes), severity: isGiven(.taskWebAPI) ? .error : .warning,
      suggestion: clientID.flatMap { GUID.isGUID($0) ? $0 : nil }, recovery: recovery(.scopes))
  }

  /// Returns whether nothing in a list was reported.
  private static func isReadableList(_ node: Node) -> Bool {
    guard case .array(let nodes) = node else { return false }
    return nodes.allSatisfy { node in
      if case .string(let text) = node { !Placeholder.isPlaceholder(text) } else { false }
    }
  }
}

// MARK: - The redirect URI

extension SettingsReader {
  /// Where the test runs of the portal and of tutorials return to.
  private static let foreignPages: Set<String> = ["jwt.ms", "jwt.io", "oidcdebugger.com", "oauth.pstmn.io"]
  private static let ownRedirectURI =
    "Register a redirect URI for the app, such as com.contoso.tasks:/redirect or http://localhost:8400/."

  /// Returns the redirect URI exactly as written, since the server compares it character by character.
  func readRedirectURI() -> URL? {
    guard let entry = text(.redirectURI, isRequired: true) else { return nil }
    if let stray = URLParts.strayCharacter(in: entry.text) {
      return refuse(entry, "The redirect URI contains a character that no URI has: \(Self.code(of: stray)).")
    }
    let parts = URLParts(entry.text)
    guard let scheme = parts.scheme?.lowercased() else {
      return refuse(entry, "The redirect URI has no scheme, so no browser can return to the app.")
    }
    if Self.lacksScheme(parts) {
      let start = Loopback.isLoopback(host: scheme) ? "http://" : "https://"
      return refuse(entry, "The redirect URI has no scheme, only a host and a port.", start + entry.text)
    }
    guard parts.userInfo == nil else {
      return refuse(entry, showsValue: false, "The redirect URI contains a user name or a password.")
    }
    if parts.fragment != nil {
      var corrected = parts
      corrected.fragment = nil
      return refuse(
        entry, "The redirect URI has a fragment (#), which OAuth forbids (RFC 6749 section 3.1.2).", corrected.text)
    }
    guard let url = URL(string: entry.text), url.absoluteString == entry.text else {
      return refuse(entry, "The redirect URI is not a URI.")
    }
    return check(entry, parts, scheme: scheme) ? url : nil
  }

  private func check(_ entry: Entry, _ parts: URLParts, scheme: String) -> Bool {
    switch scheme {
    case "https", "http":
      return checkWebRedirect(entry, parts, scheme: scheme)
    case "urn":
      guard RedirectURIRules.outOfBand.contains(entry.text.lowercased()) else {
        return refuse(entry, "No browser returns from a urn.") != nil
      }
      report(
        entry, .outOfBandRedirectURI,
        "No browser returns from the out-of-band redirect URI: the user has to copy the answer by hand.",
        severity: .warning,
        recovery:
          "Register a redirect URI for the app, such as com.contoso.tasks:/redirect, or use ManualPresenter.")
    case _ where RedirectURIRules.foreignSchemes.contains(scheme):
      return refuse(entry, "A redirect to \(scheme): never reaches the app.") != nil
    default:
      checkPrivateUse(entry, parts, scheme: scheme)
    }
    return true
  }

  private func checkPrivateUse(_ entry: Entry, _ parts: URLParts, scheme: String) {
    if !RedirectURIRules.isPrivateUse(scheme: scheme) {
      report(
        entry, .ambiguousRedirectScheme,
        "The scheme \(Shown.value(scheme) ?? "") has no dot: another app may have the same (RFC 8252 section 7.1).",
        severity: .warning,
        recovery: "Use your domain name, reversed, as the scheme, such as com.contoso.tasks:/redirect.")
    }
    if parts.host == nil, !parts.path.hasPrefix("/") {
      var corrected = parts
      corrected.path = "/" + parts.path
      report(
        entry, .redirectURIWithoutSlash,
        "The redirect URI has no slash after its scheme: since iOS 26 the sign-in sheet never returns from it.",
        severity: .warning, suggestion: corrected.text, recovery: "Register it with a slash as well.")
    }
  }

  private func checkWebRedirect(_ entry: Entry, _ parts: URLParts, scheme: String) -> Bool {
    guard parts.hasUsableHost, let host = parts.host else {
      return refuse(entry, "The redirect URI has no host, or an invalid host or port.") != nil
    }
    var corrected = parts
    if Loopback.isLoopback(host: host) {
      guard !RedirectURIRules.listenerHosts.contains(host.lowercased()) || scheme == "https" else { return true }
      if !RedirectURIRules.listenerHosts.contains(host.lowercased()) { corrected.host = "127.0.0.1" }
      corrected.scheme = "http"
      return refuse(
        entry,
        scheme == "https"
          ? "No presenter answers https on this machine; the registration has to say http too."
          : "No presenter listens on this address of this machine.",
        corrected.text) != nil
    }
    if Self.foreignPages.contains(host.lowercased()) {
      report(
        entry, .foreignRedirectURI, "\(host) is a public test page, which returns the answer to no app.",
        severity: .warning, recovery: Self.ownRedirectURI)
    }
    guard scheme == "http" else { return true }
    corrected.scheme = "https"
    return refuse(
      entry, "A redirect over http to another machine exposes the authorization code.", corrected.text) != nil
  }

  private func refuse(
    _ entry: Entry, showsValue: Bool = true, _ message: String, _ suggestion: String? = nil
  ) -> URL? {
    report(entry, .invalidRedirectURI, message, showsValue: showsValue, suggestion: suggestion)
    return nil
  }

  private static func code(of scalar: Unicode.Scalar) -> String {
    "U+" + String(scalar.value, radix: 16, uppercase: true)
  }

  /// Returns whether a text is `localhost:3000/tasks`, whose host reads like a scheme.
  private static func lacksScheme(_ parts: URLParts) -> Bool {
    parts.host == nil && parts.scheme != nil && parts.path.utf8.first.map(URLParts.isDigit) == true
  }
}

// MARK: - The URL of the task server

extension SettingsReader {
  func readTaskWebAPI() -> URL? {
    guard let entry = text(.taskWebAPI) else { return nil }
    if let stray = URLParts.strayCharacter(in: entry.text) {
      refuseAPI(entry, .invalidURL, "The URL contains a character that must be escaped: \(Self.code(of: stray)).")
      return nil
    }
    var parts = URLParts(entry.text)
    let hasScheme = parts.scheme != nil && !Self.lacksScheme(parts)
    if !hasScheme { parts = Self.withScheme(parts, text: entry.text) }
    let corrected = Self.corrected(parts)
    guard hasScheme else {
      refuseAPI(entry, .invalidURL, "The URL has no scheme.", corrected)
      return nil
    }
    return check(entry, parts, corrected: corrected)
  }

  private func check(_ entry: Entry, _ parts: URLParts, corrected: String?) -> URL? {
    let scheme = parts.scheme?.lowercased()
    guard scheme == "https" || scheme == "http" else {
      refuseAPI(entry, .invalidURL, "The URL is neither https nor http.")
      return nil
    }
    guard parts.hasUsableHost, let host = parts.host else {
      refuseAPI(entry, .invalidURL, "The URL has no host, or an invalid host or port.")
      return nil
    }
    var isRight = true
    let faults: [(Bool, SettingsProblem.Kind, String)] = [
      (parts.userInfo != nil, .userInfoInURL, "The URL contains a user name or a password, which would be sent."),
      (parts.fragment != nil, .invalidURL, "The URL has a fragment (#), which is never sent."),
      (parts.portInPath != nil, .portInPath, "The port is at the end of the path."),
      (
        scheme == "http" && !Loopback.isLoopback(host: host), .insecureURL,
        "The token would be sent over http, readable on the way."
      ),
    ]
    for (isFound, kind, message) in faults where isFound {
      refuseAPI(entry, kind, message, corrected)
      isRight = false
    }
    guard isRight else { return nil }
    guard let url = URL(string: entry.text), Loopback.isAllowed(url) else {
      refuseAPI(entry, .invalidURL, "The value is not a URL.")
      return nil
    }
    return url
  }

  private func refuseAPI(
    _ entry: Entry, _ kind: SettingsProblem.Kind, _ message: String, _ suggestion: String? = nil
  ) {
    report(entry, kind, message, showsValue: !entry.text.contains("@"), suggestion: suggestion)
  }

  /// Returns `localhost:3000/tasks` or `contoso.com/tasks` with its scheme.
  private static func withScheme(_ parts: URLParts, text: String) -> URLParts {
    var completed = URLParts("https://" + text.drop { $0 == "/" })
    if let host = completed.host, Loopback.isLoopback(host: host) { completed.scheme = "http" }
    return completed.hasUsableHost ? completed : parts
  }

  /// Returns the URL with every fault corrected that can be.
  private static func corrected(_ parts: URLParts) -> String? {
    var parts = parts
    guard let host = parts.host else { return nil }
    parts.userInfo = nil
    parts.fragment = nil
    if let (path, port) = parts.portInPath {
      parts.path = path
      parts.port = port
    }
    if parts.scheme?.lowercased() == "http", !Loopback.isLoopback(host: host) { parts.scheme = "https" }
    guard parts.hasUsableHost, ["http", "https"].contains(parts.scheme?.lowercased()) else { return nil }
    return parts.text
  }
}
