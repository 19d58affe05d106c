import B2CAuthority
import Foundation

// The authority, the client, and the scopes.
extension SettingsReader {
  /// Scopes that OpenID Connect reserves; none of them names an API.
  private static let reservedScopes: Set<String> = ["openid", "offline_access", "profile", "email", "address", "phone"]

  mutating func readAuthority() -> Authority? {
    let kind = readAuthorityKind()
    let hosts = list(.trustedHosts).map(\.text)
    guard let entry = text(.authority, isRequired: true) else { return nil }
    do throws(AuthorityError) {
      var authority = try Authority(entry.text, kind: kind)
      authority.trustedHosts = Set(hosts)
      return authority
    } catch {
      findings.add(problem(entry, .invalidAuthority, error), at: entry.offset)
      return nil
    }
  }

  private mutating func readAuthorityKind() -> Authority.Kind? {
    guard let entry = text(.authorityKind) else { return nil }
    let kinds: [Authority.Kind] = [.b2c, .ciam, .entra, .openIDConnect]
    if let kind = kinds.first(where: { $0.rawValue.lowercased() == entry.text.lowercased() }) { return kind }
    let nearest = EditDistance.nearest(to: entry.text, among: kinds, name: \.rawValue)?.rawValue
    findings.add(
      .about(entry, .invalidAuthority, "The kind of authority is not known.", correctedValue: nearest),
      at: entry.offset)
    return nil
  }

  /// An error of the authority's room as a problem of the file.
  func problem(
    _ entry: Entry, _ kind: SettingsProblem.Kind, severity: SettingsProblem.Severity = .error, _ error: AuthorityError
  ) -> SettingsProblem {
    SettingsProblem(
      keyPath: entry.path.description, kind: error.code == .placeholder ? .placeholder : kind, severity: severity,
      value: error.value, message: error.message, correctedValue: error.suggestion,
      advice: error.recoverySuggestion ?? (error.suggestion == nil ? entry.advice : nil))
  }

  mutating func readClientID(_ authority: Authority?) -> String? {
    guard let entry = text(.clientID, isRequired: true) else { return nil }
    // Only Microsoft's services give out GUIDs.
    if authority?.kind != .openIDConnect, !GUID.isGUID(entry.text) {
      findings.add(
        .about(entry, .invalidClientID, "The client ID is no GUID.", correctedValue: GUID.mended(entry.text)),
        at: entry.offset)
    }
    return entry.text
  }

  mutating func readScopes(_ key: SettingsKey) -> [String]? {
    guard self[key] != nil else {
      if key == .scopes { noteMissing(key) }
      return nil
    }
    let entries = list(key)
    for entry in entries where !Self.isScope(entry.text) {
      let parts = entry.text.split(whereSeparator: \.isWhitespace)
      let isList = parts.count > 1 && parts.allSatisfy { Self.isScope(String($0)) }
      findings.add(
        .about(
          entry, .invalidScope, isList ? "Several scopes stand in one string." : "No scope has such characters.",
          advice: isList ? "Give each scope a string of its own." : "Copy the scope from the portal."),
        at: entry.offset)
    }
    return entries.map(\.text)
  }

  /// RFC 6749 section 3.3.
  private static func isScope(_ text: String) -> Bool {
    text.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }
  }

  /// The texts of a list; empty ones are left out, as an editor leaves them behind.
  private mutating func list(_ key: SettingsKey) -> [Entry] {
    guard let node = self[key]?.node else { return [] }
    let path = KeyPath(key.rawValue)
    switch node.value {
    case .array(let nodes):
      return nodes.enumerated().compactMap { index, node in
        text(node, at: path.appending(index: index), isRequired: false, advice: key.advice)
      }
    case .string(let text) where Placeholder.isPlaceholder(text):
      _ = self.text(key)
      return []
    case .null, .unreadable: return []
    default:
      noteType(node, at: path, wanted: "an array of strings", advice: key.advice)
      return []
    }
  }

  /// Scopes that name no API bring an id token alone, with which no API can be called.
  mutating func checkScopes(_ scopes: [String], hasAPI: Bool, clientID: String?, authority: Authority?) {
    guard let member = self[.scopes], Self.isReadableList(member.node),
      scopes.allSatisfy({ Self.reservedScopes.contains($0.lowercased()) })
    else { return }
    let isMicrosofts = authority.map { $0.kind != .openIDConnect } ?? true
    let ownScope = isMicrosofts ? clientID.flatMap { GUID.isGUID($0) ? $0 : nil } : nil
    findings.add(
      SettingsProblem(
        keyPath: member.key, kind: .noAPIScope, severity: hasAPI ? .error : .warning,
        message: scopes.isEmpty
          ? "There is no scope, so that no access token would be issued."
          : "The scopes are reserved names only, which name no API, so that no access token would be issued.",
        correctedValue: ownScope, advice: SettingsKey.scopes.advice),
      at: member.node.offset)
  }

  /// Whether a list holds nothing about which a problem was noted.
  private static func isReadableList(_ node: Node) -> Bool {
    guard case .array(let nodes) = node.value else { return false }
    return nodes.allSatisfy { node in
      switch node.value {
      case .string(let text): !Placeholder.isPlaceholder(text)
      case .null: true
      default: false
      }
    }
  }
}
