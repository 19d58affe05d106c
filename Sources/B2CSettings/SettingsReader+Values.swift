import B2CAuthority
import B2CCore
import Foundation

// MARK: - The client and the scopes

extension SettingsReader {
  mutating func checkClientID(_ entry: Entry) {
    // At a generic issuer, a client ID can be any text. Only Microsoft's are always GUIDs.
    guard !isGeneric, !GUID.isGUID(entry.text) else { return }
    report(entry, "The client ID is not a GUID.", suggestion: GUID.corrected(entry.text))
  }

  /// Returns the scopes and the additional scopes, or `nil` if there are no scopes.
  mutating func readScopes(clientID: String?) -> (own: [String], additional: [String])? {
    let count = errors.count
    let own = list(.scopes, isRequired: true)
    let additional = list(.additionalScopes) ?? []
    for entry in (own ?? []) + additional { checkScope(entry) }
    guard let own else { return nil }
    let scopes = (own: own.map(\.text), additional: additional.map(\.text))
    if errors.count == count {
      let api = self[.taskWebAPI].map { ($0 as? String)?.trimmed != "" } ?? false
      checkAPIScope(scopes.own + scopes.additional, hasAPI: api, clientID: clientID)
    }
    return scopes
  }

  /// Checks the characters of a scope (RFC 6749 section 3.3).
  mutating func checkScope(_ entry: Entry) {
    let text = entry.text.utf8
    guard !text.isEmpty, text.allSatisfy({ (0x21...0x7E).contains($0) && !"\"\\".utf8.contains($0) }) else {
      return report(
        entry, "The scope contains a space or another invalid character (RFC 6749 section 3.3).",
        recovery: "Write each scope as its own string, exactly as in the registration of its API.")
    }
    let scope = entry.text.lowercased()
    let namesAPI = scope.contains("/") || GUID.isGUID(scope) || Scopes.reserved.contains(scope)
    guard kind == .b2c, !namesAPI || scope.contains("graph.microsoft.com") else { return }
    warn(
      entry, "Azure AD B2C issues no access token for this scope, which is Microsoft Graph's or names no API.",
      recovery: SettingsKey.scopes.recovery)
  }

  /// Reports scopes of which none belongs to an API, because such a sign-in returns no access token for an API.
  mutating func checkAPIScope(_ scopes: [String], hasAPI: Bool, clientID: String?) {
    // At a generic issuer, an access token may be for its own userinfo endpoint, or for an API that no scope names.
    guard !isGeneric, scopes.allSatisfy({ Scopes.reserved.contains($0.lowercased()) }) else { return }
    let problem = SettingsProblem(
      scopes.isEmpty
        ? "There is no scope, so no access token would be issued."
        : "The scopes are only reserved names, which name no API, so no access token would be issued.",
      at: SettingsKey.scopes.rawValue, suggestion: clientID.flatMap { GUID.isGUID($0) ? $0 : nil },
      recoverySuggestion: SettingsKey.scopes.recovery)
    if hasAPI { errors.append(problem) } else { warnings.append(problem) }
  }
}

// MARK: - The redirect URI

extension SettingsReader {
  /// Returns the redirect URI exactly as it is written, because the server compares it character by character.
  mutating func readRedirectURI(_ entry: Entry) -> URL? {
    guard let parts = URLComponents(plain: entry.text), let url = parts.url, let scheme = parts.scheme?.lowercased()
    else {
      // The developer may have written only the app's identifier, from which a redirect URI can be suggested.
      let whole = entry.text.contains("/") || !entry.text.contains(".") ? nil : entry.text + ":/callback"
      reportUnreadable(
        entry, "The redirect URI has no scheme, for example com.contoso.tasks:/, or a character that no URI has.",
        suggestion: whole.flatMap { URLComponents(plain: $0)?.scheme == nil ? nil : $0 })
      return nil
    }
    if Self.lacksScheme(parts) {
      let start = Loopback.isLoopback(host: scheme) ? "http://" : "https://"
      report(entry, "The redirect URI has no scheme, only a host and a port.", suggestion: start + entry.text)
    } else if parts.user != nil || parts.password != nil {
      report(entry, "The redirect URI contains a user name or a password.")
    } else if parts.fragment != nil {
      report(
        entry, "The redirect URI has a fragment (#), which OAuth forbids (RFC 6749 section 3.1.2).",
        suggestion: String(entry.text.prefix { $0 != "#" }))
    } else if scheme == "https" || scheme == "http" {
      return checkWebRedirect(entry, parts, scheme: scheme) ? url : nil
    } else if entry.text.lowercased().hasPrefix("urn:ietf:wg:oauth:2.0:oob") {
      warn(
        entry, "No browser returns from the out-of-band redirect URI of early tutorials.",
        recovery: "Register a redirect URI for the app, for example com.contoso.tasks:/redirect.")
      return url
    } else if RedirectURIRules.foreignSchemes.contains(scheme) {
      report(entry, "A redirect URI with the scheme \(scheme) never leads to the app.")
    } else {
      warnPrivateUse(entry, parts, scheme: scheme)
      return url
    }
    return nil
  }

  private mutating func warnPrivateUse(_ entry: Entry, _ parts: URLComponents, scheme: String) {
    if !RedirectURIRules.isPrivateUse(scheme: scheme) {
      warn(
        entry, "The scheme \(scheme) has no dot, so another app may have the same (RFC 8252 section 7.1).",
        recovery: "Use your domain name, reversed, as the scheme, for example com.contoso.tasks:/redirect.")
    }
    if parts.host == nil, !parts.path.hasPrefix("/") {
      var corrected = parts
      corrected.percentEncodedPath = "/" + parts.percentEncodedPath
      warn(
        entry, "The redirect URI has no slash after its scheme, so the sign-in sheet of iOS 26 never returns from it.",
        suggestion: corrected.string, recovery: "Register it with the slash, too.")
    }
  }

  private mutating func checkWebRedirect(_ entry: Entry, _ parts: URLComponents, scheme: String) -> Bool {
    guard let host = Self.host(of: parts)?.lowercased() else {
      report(entry, "The redirect URI has no host, or an invalid one.")
      return false
    }
    if host == "jwt.ms" || parts.path.hasSuffix("/oauth2/nativeclient") {
      warn(
        entry, "The redirect URI belongs to a public page, which never leads to the app.",
        recovery: "Register a redirect URI for the app, for example com.contoso.tasks:/redirect.")
    }
    let isLoopback = Loopback.isLoopback(host: host)
    let isListener = !isLoopback || RedirectURIRules.listenerHosts.contains(host)
    var corrected = parts
    corrected.scheme = isLoopback ? "http" : "https"
    if !isListener { corrected.host = "127.0.0.1" }
    guard scheme != corrected.scheme || !isListener else { return true }
    report(
      entry,
      isLoopback
        ? "Presenters listen only on http://localhost, 127.0.0.1 and [::1], and the registration must name the same."
        : "A redirect over http to another machine exposes the authorization code.",
      suggestion: corrected.string)
    return false
  }

  /// Returns whether a text, for example `localhost:3000/tasks`, lacks a scheme, because its host was parsed as one.
  private static func lacksScheme(_ parts: URLComponents) -> Bool {
    parts.host == nil && parts.scheme != nil && parts.path.first?.isNumber == true
  }

  /// Returns the host, if it is a name of labels or an IP address.
  private static func host(of parts: URLComponents) -> String? {
    parts.encodedHost.flatMap { $0.wholeMatch(of: plainHost) == nil ? nil : $0 }
  }

  private static let plainHost = Pattern(/[A-Za-z0-9][A-Za-z0-9._~\-]*|\[[0-9A-Fa-f:.]+\]/)
}

// MARK: - The URL of the task server

extension SettingsReader {
  mutating func readTaskWebAPI(_ entry: Entry) -> URL? {
    guard let parts = URLComponents(plain: entry.text) else {
      reportUnreadable(entry, "The URL contains a character that must be escaped, or an invalid port.")
      return nil
    }
    guard let scheme = parts.scheme?.lowercased(), !Self.lacksScheme(parts) else {
      let whole = URLComponents(plain: "http://" + entry.text.drop { $0 == "/" })
      report(entry, "The URL has no scheme.", suggestion: whole.flatMap(Self.corrected))
      return nil
    }
    guard scheme == "https" || scheme == "http", let host = Self.host(of: parts) else {
      report(entry, "The URL is neither https nor http, or has no valid host.")
      return nil
    }
    let isReadable = scheme == "http" && !Loopback.isLoopback(host: host)
    let faults = [
      (parts.user != nil, "The URL contains a user name or a password, which would be sent."),
      (parts.fragment != nil, "The URL has a fragment (#), which is never sent."),
      (parts.portInPath != nil, "The port is at the end of the path."),
      (isReadable, "The token would be sent over http, so others could read it on the way."),
    ].filter(\.0)
    for (_, message) in faults { report(entry, message, suggestion: Self.corrected(parts)) }
    return faults.isEmpty ? parts.url : nil
  }

  /// Returns the URL with all faults corrected that can be.
  private static func corrected(_ parts: URLComponents) -> String? {
    var parts = parts
    guard let host = host(of: parts) else { return nil }
    (parts.user, parts.password, parts.fragment) = (nil, nil, nil)
    if let (path, port) = parts.portInPath {
      parts.percentEncodedPath = path
      parts.port = port
    }
    if parts.scheme?.lowercased() == "http", !Loopback.isLoopback(host: host) { parts.scheme = "https" }
    return parts.string
  }
}
