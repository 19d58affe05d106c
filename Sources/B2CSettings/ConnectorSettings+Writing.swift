import B2CAuthority
public import Foundation

extension ConnectorSettings {
  /// Returns the settings as an XML property list, from which equal settings are read.
  ///
  /// - Returns: The bytes of the file.
  /// - Throws: ``SettingsError`` when the settings could not be read back, with the reasons.
  public func propertyList() throws(SettingsError) -> Data {
    let tree = SettingsTree(self)
    guard let data = try? PropertyListSerialization.data(fromPropertyList: tree.propertyList, format: .xml, options: 0),
      try ConnectorSettings(data: data) == self
    else {
      let problem = SettingsProblem(
        kind: .notWritable, message: "A value is empty, listed twice, or has spaces around it.",
        recoverySuggestion: "Use values as a file contains them.")
      throw SettingsError(file: nil, problems: [problem])
    }
    return data
  }

  /// Checks settings made in code as those of a file are checked.
  ///
  /// - Returns: The warnings.
  /// - Throws: ``SettingsError`` with all problems.
  @discardableResult
  public func validate() throws(SettingsError) -> [SettingsProblem] {
    try ConnectorSettings(
      fields: SettingsTree(self).fields, isComplete: true, text: nil, findings: Findings(), file: nil
    ).warnings
  }
}

/// Settings as the tree of values of a file.
struct SettingsTree {
  private(set) var fields: [Node.Field] = []

  init(_ settings: ConnectorSettings) {
    add(.authority, settings.authority.description)
    // The kind follows from the text on Microsoft's hosts, and from a policy in it.
    let reread = try? Authority(settings.authority.description)
    if !Self.isSame(reread, settings.authority) { add(.authorityKind, settings.authority.kind.rawValue) }
    if !settings.authority.trustedHosts.isEmpty { add(.trustedHosts, list: settings.authority.trustedHosts.sorted()) }
    if !settings.trustedAudiences.isEmpty { add(.trustedAudiences, list: settings.trustedAudiences.sorted()) }
    add(.clientID, settings.clientID)
    add(.scopes, list: settings.scopes)
    if !settings.additionalScopes.isEmpty { add(.additionalScopes, list: settings.additionalScopes) }
    if settings.offlineAccess != .automatic { add(.offlineAccess, settings.offlineAccess.rawValue) }
    add(.redirectURI, settings.redirectURI.absoluteString)
    add(.taskWebAPI, settings.taskWebAPI?.absoluteString)
    addPolicies(settings.policies)
    add(.fullScreen, .bool(settings.fullScreen))
    add(.showClaims, .bool(settings.showClaims))
    add(.correlationID, settings.correlationID?.uuidString)
    add(.userID, settings.userID)
  }

  private static func isSame(_ reread: Authority?, _ authority: Authority) -> Bool {
    guard var reread else { return false }
    reread.trustedHosts = authority.trustedHosts
    return reread == authority
  }

  private mutating func add(_ key: SettingsKey, _ value: Node.Value) {
    fields.append(Node.Field(key: key.rawValue, node: Node(value: value)))
  }

  private mutating func add(_ key: SettingsKey, _ text: String?) {
    if let text { add(key, .string(text)) }
  }

  private mutating func add(_ key: SettingsKey, list: [String]) {
    add(key, .array(list.map { Node(value: .string($0)) }))
  }

  private mutating func addPolicies(_ policies: ConnectorSettings.Policies) {
    add(.emailSignUp, policies.emailSignUp, .emailSignUp)
    add(.facebookSignIn, policies.facebookSignIn, .facebookSignIn)
    add(.emailSignIn, policies.emailSignIn, .emailSignIn)
    if !policies.others.isEmpty {
      add(.policies, .array(policies.others.map { Node(value: Self.value($0, .none)) }))
    }
    guard let selected = policies.selected else { return }
    var rest = policies
    rest.selected = nil
    let listed = rest[selected.id]
    add(
      .policyID, selected,
      PolicyDefaults(
        name: listed.flatMap { $0.name == $0.id ? nil : $0.name }, kind: listed?.kind ?? .signUpOrSignIn,
        domainHint: listed?.domainHint))
  }

  private mutating func add(_ key: SettingsKey, _ policy: Policy?, _ defaults: PolicyDefaults) {
    if let policy { add(key, Self.value(policy, defaults)) }
  }

  /// Returns the id alone where that is complete, otherwise a dictionary.
  private static func value(_ policy: Policy, _ defaults: PolicyDefaults) -> Node.Value {
    let bare = try? Policy(id: policy.id, name: defaults.name, kind: defaults.kind, domainHint: defaults.domainHint)
    if let bare, bare.name == policy.name, bare.kind == policy.kind, bare.domainHint == policy.domainHint {
      return .string(policy.id)
    }
    let texts = [
      ("id", policy.id), ("name", policy.name == policy.id ? nil : policy.name), ("kind", policy.kind.rawValue),
      ("domainHint", policy.domainHint),
    ]
    return .dictionary(
      texts.compactMap { key, text in
        text.map { Node.Field(key: key, node: Node(value: .string($0))) }
      })
  }
}

extension SettingsTree {
  /// The tree for Foundation's writer.
  fileprivate var propertyList: Any { Self.plain(.dictionary(fields)) }

  private static func plain(_ value: Node.Value) -> Any {
    switch value {
    case .string(let text): text
    case .bool(let flag): flag
    case .array(let nodes): nodes.map { plain($0.value) }
    case .dictionary(let fields):
      Dictionary(fields.map { ($0.key, plain($0.node.value)) }) { first, _ in first }
    // Settings have no values of other types.
    default: ""
    }
  }
}
