import B2CAuthority
import Foundation

/// Reads a tree of values as settings and reports everything that is wrong with them.
struct SettingsReader {
  /// A string of the file together with its path.
  struct Entry {
    /// Without spaces around it.
    var text: String
    var path: SettingsPath
    /// The text to write instead, when it turns out to be wrong.
    var recovery: String
    /// Whether it is the key at its path, and not the value.
    var isKey = false
  }

  private let fields: [Node.Field]
  /// Whether the whole file was read, so that absent keys are really missing.
  private let isComplete: Bool
  private var known: [SettingsKey: Node.Field] = [:]
  private var misspelled: [SettingsKey: String] = [:]
  /// Whether the authority is a generic issuer, so that Microsoft's words do not fit.
  private(set) var isGeneric = false
  let findings: Findings

  init(_ fields: [Node.Field], isComplete: Bool, findings: Findings) {
    self.fields = fields
    self.isComplete = isComplete
    self.findings = findings
  }

  /// Returns the settings, unless an error was found; errors and warnings are added to the findings.
  mutating func read() -> ConnectorSettings? {
    sortFields()
    let authority = readAuthority()
    // A policy makes Azure AD B2C of an authority whose kind is not given.
    isGeneric = authority?.kind == .openIDConnect && (self[.authorityKind] != nil || !hasPolicyKey)
    let clientID = readClientID()
    let scopes = readScopes(.scopes, isRequired: true)
    let additionalScopes = readScopes(.additionalScopes) ?? []
    let redirectURI = readRedirectURI()
    let taskWebAPI = readTaskWebAPI()
    let policies = readPolicies()
    let fullScreen = flag(.fullScreen)
    let showClaims = flag(.showClaims)
    let correlationID = readCorrelationID()
    let userID = text(.userID)?.text
    checkTogether(authority, policies: policies)
    if let scopes { checkScopes(scopes + additionalScopes, clientID: clientID) }
    guard let authority, let clientID, let scopes, let redirectURI, !findings.hasErrors else { return nil }
    var settings = ConnectorSettings(
      authority: authority, clientID: clientID, scopes: scopes, redirectURI: redirectURI)
    settings.additionalScopes = additionalScopes
    settings.taskWebAPI = taskWebAPI
    settings.policies = policies
    settings.fullScreen = fullScreen
    settings.showClaims = showClaims
    settings.correlationID = correlationID
    settings.userID = userID
    return settings
  }

  subscript(key: SettingsKey) -> Node.Field? { known[key] }

  /// Whether the file has a key for a policy, right or wrong.
  var hasPolicyKey: Bool {
    [.emailSignUp, .facebookSignIn, .emailSignIn, .policies, .policyID].contains { self[$0] != nil }
  }

  func recovery(_ key: SettingsKey) -> String { key.recovery(isGeneric: isGeneric) }

  /// Returns whether a key has a value that is not empty, right or wrong.
  func isGiven(_ key: SettingsKey) -> Bool {
    guard let node = known[key]?.node else { return false }
    if case .string(let text) = node { return !text.trimmed.isEmpty }
    return true
  }
}

// MARK: - Keys

extension SettingsReader {
  private mutating func sortFields() {
    var unknown: [Node.Field] = []
    for field in fields {
      guard let key = SettingsKey(rawValue: field.key) else {
        unknown.append(field)
        continue
      }
      known[key] = field
    }
    for field in unknown { reportUnknown(field) }
    if known[.resource] != nil {
      findings.add(
        .unusedKey, "The key has no effect: APIs are named by scopes.", at: SettingsPath(.resource),
        severity: .warning, recovery: recovery(.resource), isAboutKey: true)
    }
  }

  private mutating func reportUnknown(_ field: Node.Field) {
    let path = SettingsPath().appending(key: field.key)
    let folded = field.key.lowercased().filter { $0 != "_" && $0 != "-" }
    if folded.contains("secret") || folded == "password" {
      findings.add(
        .clientSecret, "An app cannot keep a secret: every user of the app can read it (RFC 8252 section 8.5).",
        at: path, severity: .warning, recovery: "Remove it, and register the app as a public client.", isAboutKey: true)
      return
    }
    let nearest = EditDistance.nearest(to: field.key, among: SettingsKey.allCases, name: \.rawValue)
    if let nearest, known[nearest] == nil, misspelled[nearest] == nil { misspelled[nearest] = field.key }
    warnUnknown(path, nearest: nearest?.rawValue)
  }

  func warnUnknown(_ path: SettingsPath, nearest: String?) {
    findings.add(
      .unknownKey, "Unknown key.", at: path, severity: .warning, suggestion: nearest,
      recovery: nearest == nil ? "Remove it if nothing else reads it." : nil, isAboutKey: true)
  }

  func reportMissing(_ key: SettingsKey) {
    guard isComplete else { return }
    let rename = misspelled[key].flatMap(Shown.value).map { "Perhaps \($0) was meant for it. " } ?? ""
    findings.add(
      .missingKey, "The key is missing.", at: SettingsPath(key), recovery: rename + recovery(key))
  }
}

// MARK: - Strings, lists and Booleans

extension SettingsReader {
  /// Reports a problem with a string of the file.
  func report(
    _ entry: Entry, _ kind: SettingsProblem.Kind, _ message: String, severity: SettingsProblem.Severity = .error,
    showsValue: Bool = true, suggestion: String? = nil, recovery: String? = nil
  ) {
    findings.add(
      kind, message, at: entry.path, severity: severity, value: showsValue ? entry.text : nil,
      suggestion: suggestion, recovery: recovery ?? (suggestion == nil ? entry.recovery : nil),
      isAboutKey: entry.isKey)
  }

  /// Reports an error of an authority or policy.
  func report(
    _ entry: Entry, _ kind: SettingsProblem.Kind, _ error: AuthorityError,
    severity: SettingsProblem.Severity = .error
  ) {
    findings.add(
      error.fault == .placeholder ? .placeholder : kind, error.message, at: entry.path, severity: severity,
      value: error.value, suggestion: error.suggestion,
      recovery: error.recoverySuggestion ?? (error.suggestion == nil ? entry.recovery : nil))
  }

  /// Returns the string of a key; `nil` when it is absent or was reported.
  func text(_ key: SettingsKey, isRequired: Bool = false, isFree: Bool = false) -> Entry? {
    guard let field = self[key] else {
      if isRequired { reportMissing(key) }
      return nil
    }
    return text(
      field.node, at: SettingsPath(key), isRequired: isRequired, isFree: isFree, recovery: recovery(key))
  }

  /// Returns the string of a value; a free one, such as a name, may look like a placeholder.
  func text(
    _ node: Node, at path: SettingsPath, isRequired: Bool, isFree: Bool = false, recovery: String
  ) -> Entry? {
    switch node {
    case .string(let text):
      let entry = Entry(text: text.trimmed, path: path, recovery: recovery)
      return check(entry, isRequired: isRequired, isFree: isFree) ? entry : nil
    case .unreadable: return nil
    default:
      reportType(node, at: path, expected: "a string", recovery: recovery)
      return nil
    }
  }

  func reportType(_ node: Node, at path: SettingsPath, expected: String, recovery: String) {
    findings.add(
      .wrongType, "The value is \(node.typeName), not \(expected).", at: path, value: node.scalarText,
      recovery: recovery)
  }

  func check(_ entry: Entry, isRequired: Bool, isFree: Bool) -> Bool {
    guard !entry.text.isEmpty else {
      if isRequired { report(entry, .emptyValue, "The value is empty.", showsValue: false) }
      return false
    }
    guard isFree || !Placeholder.isPlaceholder(entry.text) else {
      report(entry, .placeholder, Placeholder.message)
      return false
    }
    if !isFree, let bare = Self.unquoted(entry.text) {
      report(entry, .quotedValue, "The value is in quotation marks.", suggestion: bare)
      return false
    }
    // Names may contain anything else; they are shown and written again.
    guard !entry.text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) else {
      report(
        entry, .controlCharacter, "The value contains a control character or a line break.",
        recovery: "Type it instead of pasting it.")
      return false
    }
    return true
  }

  /// Returns the text between quotation marks, straight or typographic; `nil` without them.
  private static func unquoted(_ text: String) -> String? {
    let marks = "\"'`\u{201C}\u{201D}\u{201E}\u{2018}\u{2019}\u{AB}\u{BB}"
    guard text.count > 2, let first = text.first, let last = text.last, marks.contains(first), marks.contains(last)
    else { return nil }
    let bare = String(text.dropFirst().dropLast()).trimmed
    return bare.isEmpty || bare.contains(where: marks.contains) ? nil : bare
  }

  /// Returns the strings of a list without empty ones, which editors leave behind.
  func list(_ key: SettingsKey) -> [Entry] {
    guard let node = self[key]?.node else { return [] }
    let path = SettingsPath(key)
    switch node {
    case .array(let nodes):
      return nodes.enumerated().compactMap { index, node in
        text(node, at: path.appending(index: index), isRequired: false, recovery: recovery(key))
      }
    case .string(let text) where Placeholder.isPlaceholder(text):
      _ = self.text(key)
      return []
    case .unreadable: return []
    default:
      reportType(node, at: path, expected: "an array of strings", recovery: recovery(key))
      return []
    }
  }

  /// Returns the Boolean of a key; false when it is absent.
  ///
  /// The tutorial's code asked any value for its `boolValue`, so all these spellings are in real files.
  private func flag(_ key: SettingsKey) -> Bool {
    guard let node = self[key]?.node else { return false }
    switch node {
    case .bool(let flag): return flag
    case .integer(0), .real(0): return false
    case .integer(1), .real(1): return true
    case .unreadable: return false
    case .string(let text):
      switch text.trimmed.lowercased() {
      case "true", "yes", "1": return true
      case "false", "no", "0", "": return false
      default: break
      }
    default: break
    }
    reportType(node, at: SettingsPath(key), expected: "true or false", recovery: recovery(key))
    return false
  }
}
