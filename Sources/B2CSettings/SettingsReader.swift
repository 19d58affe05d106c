import B2CAuthority
import B2CCore
import Foundation

/// The reader of a settings file's values, which reports all their mistakes.
struct SettingsReader {
  /// A string of the file with its path.
  struct Entry {
    /// The string, without the spaces around it.
    var text: String
    var path: String
    /// A sentence about how to fix the string if it is wrong.
    var recovery: String
  }

  let fields: [String: Any]
  var errors: [SettingsProblem] = []
  var warnings: [SettingsProblem] = []
  /// The values that the file contains under another name or inside a dictionary, by the keys they probably belong to.
  var strays: [String: (value: Any, isNested: Bool)] = [:]
  /// The kind of the authority with the policies, or `nil` if the authority can be neither read nor corrected.
  private(set) var kind: Authority.Kind?
  /// Whether the authority is a generic issuer, whose client IDs are not GUIDs and whose scopes may name no API.
  var isGeneric: Bool { kind == .openIDConnect }

  /// Returns the settings, or `nil` if an error was found.
  mutating func readKeys() -> ConnectorSettings? {
    let (authority, meant) = readAuthority()
    kind = meant.map { hasPolicyKey && $0.takesPolicies ? .b2c : $0.kind }
    let clientID = text(.clientID, isRequired: true)
    // Without a known authority it is unclear whether the client ID must be a GUID.
    if let clientID, kind != nil { checkClientID(clientID) }
    let scopes = readScopes(clientID: clientID?.text)
    let redirectURI = text(.redirectURI, isRequired: true).flatMap { readRedirectURI($0) }
    let taskWebAPI = text(.taskWebAPI).flatMap { readTaskWebAPI($0) }
    let policies = readPolicies()
    let userID = text(.userID)
    let rest = (flag(.fullScreen), flag(.showClaims), readCorrelationID(), userID?.text)
    if let authority { checkTogether(authority, policies: policies, userID: userID) }
    guard let authority, let clientID, let scopes, let redirectURI, errors.isEmpty else { return nil }
    var settings = ConnectorSettings(
      authority: authority, clientID: clientID.text, scopes: scopes.own, redirectURI: redirectURI,
      taskWebAPI: taskWebAPI, policies: policies)
    settings.additionalScopes = scopes.additional
    (settings.fullScreen, settings.showClaims, settings.correlationID, settings.userID) = rest
    return settings
  }

  /// Checks settings that were created in code.
  mutating func check(_ settings: ConnectorSettings) {
    kind = settings.authority.kind(for: settings.policies.all.first)
    checkClientID(Entry(settings.clientID, of: .clientID))
    for (key, scopes) in [(SettingsKey.scopes, settings.scopes), (.additionalScopes, settings.additionalScopes)] {
      for (index, scope) in scopes.enumerated() {
        checkScope(Entry(text: scope, path: "\(key.rawValue)[\(index)]", recovery: key.recovery))
      }
    }
    checkAPIScope(
      settings.scopes + settings.additionalScopes, hasAPI: settings.taskWebAPI != nil, clientID: settings.clientID)
    _ = readRedirectURI(Entry(settings.redirectURI.absoluteString, of: .redirectURI))
    if let url = settings.taskWebAPI { _ = readTaskWebAPI(Entry(url.absoluteString, of: .taskWebAPI)) }
    let userID = settings.userID.map { Entry($0, of: .userID) }
    checkTogether(settings.authority, policies: settings.policies, userID: userID)
  }

  subscript(key: SettingsKey) -> Any? { fields[key.rawValue] }

  /// Whether the file has a key for a policy, even with a wrong value.
  var hasPolicyKey: Bool { SettingsKey.allCases.contains { $0.isOfPolicy && self[$0] != nil } }

  /// Returns the authority and, if it must be corrected, the one that was probably meant, with which the other keys are
  /// checked.
  private mutating func readAuthority() -> (read: Authority?, meant: Authority?) {
    var kind: Authority.Kind?
    if let entry = text(.authorityKind) {
      let kinds = Authority.Kind.allCases
      kind = kinds.first { $0.rawValue.lowercased() == entry.text.lowercased() }
      if kind == nil {
        report(entry, "The kind of authority is unknown.", suggestion: entry.text.nearest(among: kinds.map(\.rawValue)))
      }
    }
    guard let entry = text(.authority, isRequired: true) else { return (nil, nil) }
    do throws(AuthorityFault) {
      let authority = try Authority(parsing: entry.text, kind: kind)
      return (authority, authority)
    } catch {
      report(entry, error.message, suggestion: error.suggestion, recovery: error.recoverySuggestion)
      return (nil, error.suggestion.flatMap { try? Authority(parsing: $0, kind: kind) })
    }
  }

  private mutating func readCorrelationID() -> UUID? {
    guard let entry = text(.correlationID) else { return nil }
    let id = UUID(uuidString: entry.text)
    if id == nil { report(entry, "The correlation ID is not a UUID.", suggestion: GUID.corrected(entry.text)) }
    return id
  }
}

extension SettingsReader.Entry {
  /// Creates the entry of a key at the top level.
  init(_ text: String, of key: SettingsKey) { self.init(text: text, path: key.rawValue, recovery: key.recovery) }
}

extension ConnectorSettings {
  /// Checks settings that were created in code as those of a file are checked.
  ///
  /// - Returns: The warnings.
  /// - Throws: ``SettingsError`` with all problems.
  @discardableResult
  public func validate() throws -> [SettingsProblem] {
    var reader = SettingsReader(fields: [:])
    reader.check(self)
    guard reader.errors.isEmpty else { throw reader.error(in: nil) }
    return Array(reader.warnings.prefix(SettingsError.limit))
  }
}

// MARK: - Problems

extension SettingsReader {
  /// Returns the error of a file with all problems and warnings that were found.
  func error(in file: String?) -> SettingsError { SettingsError(file: file, problems: errors, warnings: warnings) }

  mutating func report(_ entry: Entry, _ message: String, suggestion: String? = nil, recovery: String? = nil) {
    errors.append(problem(entry, message, suggestion, recovery))
  }

  mutating func warn(_ entry: Entry, _ message: String, suggestion: String? = nil, recovery: String? = nil) {
    warnings.append(problem(entry, message, suggestion, recovery))
  }

  /// Reports a text that is not a URL, or the characters that do not belong into one, in place of `message`.
  mutating func reportUnreadable(_ entry: Entry, _ message: String, suggestion: String? = nil) {
    let bad = AuthorityFault(foreignTo: entry.text)
    report(entry, bad?.message ?? message, suggestion: bad?.suggestion ?? suggestion, recovery: bad?.recoverySuggestion)
  }

  private func problem(_ entry: Entry, _ message: String, _ suggestion: String?, _ recovery: String?) -> SettingsProblem
  {
    SettingsProblem(
      message, at: entry.path, value: entry.text.isEmpty ? nil : entry.text, suggestion: suggestion,
      recoverySuggestion: recovery, otherwise: entry.recovery)
  }

  /// Returns the name of an unknown key for a path, shortened and without what may be secret.
  static func path(_ name: String) -> String { SettingsProblem.shown(name) ?? "…" }

  // MARK: - Strings, lists and Booleans

  /// Returns the string of a key, or `nil` if it is missing or was reported.
  mutating func text(_ key: SettingsKey, isRequired: Bool = false, isFree: Bool = false) -> Entry? {
    value(key, isRequired).flatMap {
      text($0, at: key.rawValue, isRequired: isRequired, isFree: isFree, recovery: key.recovery)
    }
  }

  private mutating func value(_ key: SettingsKey, _ isRequired: Bool) -> Any? {
    let value = self[key]
    if isRequired, value == nil {
      errors.append(SettingsProblem("The key is missing.", at: key.rawValue, recoverySuggestion: key.recovery))
    }
    return value
  }

  /// Returns the string of a value, which may look like a placeholder if it is free, as a name is.
  mutating func text(
    _ value: Any, at path: String, isRequired: Bool = false, isFree: Bool = false, recovery: String
  ) -> Entry? {
    guard let text = value as? String else {
      reportType(value, at: path, "a string", recovery: recovery)
      return nil
    }
    let entry = Entry(text: text.trimmed, path: path, recovery: recovery)
    let bare = entry.text.trimmingCharacters(in: Self.quotationMarks)
    if entry.text.isEmpty {
      if isRequired { report(entry, "The value is empty.") }
    } else if !isFree, Placeholder.isPlaceholder(entry.text) {
      report(entry, Placeholder.message)
    } else if !isFree, !bare.isEmpty, bare.count == entry.text.count - 2 {
      report(entry, "The value is in quotation marks.", suggestion: bare.trimmed)
    } else if entry.text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) {
      // Control characters are refused even in names, because names are shown on the screen.
      report(
        entry, "The value contains a control character or a line break.", recovery: "Type it instead of pasting it.")
    } else {
      return entry
    }
    return nil
  }

  /// The straight and typographic quotation marks, which developers paste together with a value.
  private static let quotationMarks = CharacterSet(
    charactersIn: "\"'`\u{201C}\u{201D}\u{201E}\u{2018}\u{2019}\u{AB}\u{BB}")

  mutating func reportType(
    _ value: Any, at path: String, _ expected: String, suggestion: String? = nil, recovery: String
  ) {
    let entry = Entry(text: value as? String ?? (value as? NSNumber)?.stringValue ?? "", path: path, recovery: recovery)
    report(entry, "The value is not \(expected).", suggestion: suggestion)
  }

  /// Returns the strings of a list without empty ones, which property list editors create, or `nil` without a list.
  mutating func list(_ key: SettingsKey, isRequired: Bool = false) -> [Entry]? {
    guard let value = value(key, isRequired) else { return nil }
    guard let values = value as? [Any] else {
      let text = value as? String ?? ""
      let isFit = SettingsProblem.shown(text) != nil && !text.contains { "<&".contains($0) }
      let words = isFit ? text.split { $0.isWhitespace || $0 == "," }.map { "<string>\($0)</string>" } : []
      let suggestion = words.isEmpty ? nil : "<array>\(words.joined())</array>"
      reportType(value, at: key.rawValue, "an array of strings", suggestion: suggestion, recovery: key.recovery)
      return nil
    }
    return values.enumerated().compactMap { text($1, at: "\(key.rawValue)[\($0)]", recovery: key.recovery) }
  }

  /// Returns the Boolean of a key, or `false` if it is missing.
  private mutating func flag(_ key: SettingsKey) -> Bool {
    let value = self[key]
    if let value, !(value is Bool) {
      reportType(value, at: key.rawValue, "<true/> or <false/>", recovery: key.recovery)
    }
    return value as? Bool ?? false
  }
}
