import B2CAuthority
import Foundation

/// Reads a tree of values as settings and notes everything that is wrong with them.
struct SettingsReader {
  private let members: [Node.Member]
  /// Whether all of the file was read, so that what is not there is really missing.
  private let isComplete: Bool
  private var known: [SettingsKey: Node.Member] = [:]
  private var misspelled: [SettingsKey: String] = [:]
  var findings: Findings

  init(_ members: [Node.Member], isComplete: Bool, findings: Findings) {
    self.members = members
    self.isComplete = isComplete
    self.findings = findings
  }

  /// The settings, unless something that has to be mended was found; all of it is in the findings.
  mutating func read() -> Settings? {
    sortMembers()
    let authority = readAuthority()
    let clientID = readClientID(authority)
    let scopes = readScopes(.scopes)
    let additionalScopes = readScopes(.additionalScopes) ?? []
    let redirectURI = readRedirectURI()
    let taskWebAPI = readTaskWebAPI()
    let policies = readPolicies()
    let fullScreen = flag(.fullScreen)
    let showClaims = flag(.showClaims)
    let correlationID = readCorrelationID()
    let userID = text(.userID)?.text
    checkTogether(authority, policies: policies)
    if let scopes {
      checkScopes(
        scopes + additionalScopes, hasAPI: isGiven(.taskWebAPI), clientID: clientID, authority: authority)
    }
    guard let authority, let clientID, let scopes, let redirectURI, !findings.hasErrors else { return nil }
    return Settings(
      authority: authority, clientID: clientID, scopes: scopes, additionalScopes: additionalScopes,
      redirectURI: redirectURI, taskWebAPI: taskWebAPI, policies: policies, fullScreen: fullScreen,
      showClaims: showClaims, correlationID: correlationID, userID: userID)
  }

  subscript(key: SettingsKey) -> Node.Member? { known[key] }

  /// Whether a key has a value that is not blank, right or wrong.
  private func isGiven(_ key: SettingsKey) -> Bool {
    guard let node = known[key]?.node else { return false }
    if case .string(let text) = node.value { return !text.trimmed.isEmpty }
    return true
  }
}

// Keys.
extension SettingsReader {
  private mutating func sortMembers() {
    let members = unique(members, in: KeyPath())
    var strangers: [Node.Member] = []
    for member in members {
      guard let key = SettingsKey(rawValue: member.key) else {
        strangers.append(member)
        continue
      }
      // JSON's null and the null of binary files say that there is no value.
      if case .null = member.node.value { continue }
      known[key] = member
    }
    for member in strangers { noteStranger(member) }
    if let resource = known[.resource] {
      warn(
        .unusedKey, resource.key, at: resource.keyOffset, "The key has no effect: APIs are named by scopes.",
        advice: SettingsKey.resource.advice)
    }
  }

  /// The members without those whose key stood there before; each of these is a problem.
  mutating func unique(_ members: [Node.Member], in path: KeyPath) -> [Node.Member] {
    var seen: Set<String> = []
    return members.filter { member in
      guard !seen.insert(member.key).inserted else { return true }
      findings.add(
        SettingsProblem(
          keyPath: path.appending(key: member.key).description, kind: .duplicateKey,
          message: "The key appears twice, and readers differ in which one they take.", advice: "Remove one of them."),
        at: member.keyOffset)
      return false
    }
  }

  private mutating func noteStranger(_ member: Node.Member) {
    let folded = member.key.lowercased().filter { $0 != "_" && $0 != "-" }
    if folded.contains("secret") || folded == "password" {
      warn(
        .clientSecret, member.key, at: member.keyOffset,
        "A secret in an app is none: whoever has the app can read it (RFC 8252 section 8.5).",
        advice: "Remove it, and register the app as a public client.")
      return
    }
    let nearest = EditDistance.nearest(to: member.key, among: SettingsKey.allCases, name: \.rawValue)
    if let nearest, known[nearest] == nil, misspelled[nearest] == nil { misspelled[nearest] = member.key }
    warnStranger(KeyPath(member.key), at: member.keyOffset, nearest: nearest?.rawValue)
  }

  /// Notes a key that means nothing.
  mutating func warnStranger(_ path: KeyPath, at offset: Int?, nearest: String?) {
    findings.add(
      SettingsProblem(
        keyPath: path.description, kind: .unknownKey, severity: .warning, message: "The key is not known here.",
        correctedValue: nearest, advice: nearest == nil ? "Remove it if nothing else reads it." : nil),
      at: offset)
  }

  private mutating func warn(
    _ kind: SettingsProblem.Kind, _ key: String, at offset: Int?, _ message: String, advice: String
  ) {
    findings.add(
      SettingsProblem(
        keyPath: KeyPath(key).description, kind: kind, severity: .warning, message: message, advice: advice),
      at: offset)
  }

  /// Notes that a required key is not there.
  mutating func noteMissing(_ key: SettingsKey) {
    guard isComplete else { return }
    let rename = misspelled[key].flatMap(Shown.value).map { "Perhaps \($0) was meant for it. " } ?? ""
    findings.add(
      SettingsProblem(
        keyPath: key.rawValue, kind: .missingKey, message: "The key is missing.", advice: rename + key.advice),
      at: nil)
  }
}
