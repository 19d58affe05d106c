import B2CAuthority

/// The properties of a policy that its place in the file implies.
struct PolicyDefaults {
  var name: String?
  var kind = Policy.Kind.signUpOrSignIn
  var domainHint: String?

  static let emailSignUp = PolicyDefaults(kind: .signUp)
  static let emailSignIn = PolicyDefaults(kind: .signIn)
  static let facebookSignIn = PolicyDefaults(kind: .federatedSignIn, domainHint: "facebook.com")
  static let none = PolicyDefaults()
}

// Policies: the tutorial's three keys, its policyName/policyID pair, and the `policies` list.
extension SettingsReader {
  /// The keys of a policy that is written as a dictionary.
  private static let policyKeys = ["id", "name", "kind", "domainHint"]

  func readPolicies() -> ConnectorSettings.Policies {
    var policies = ConnectorSettings.Policies()
    policies.emailSignUp = policy(.emailSignUp, .emailSignUp)
    policies.facebookSignIn = policy(.facebookSignIn, .facebookSignIn)
    policies.emailSignIn = policy(.emailSignIn, .emailSignIn)
    readOthers(into: &policies)
    policies.selected = readSelected(among: policies)
    return policies
  }

  private func policy(_ key: SettingsKey, _ defaults: PolicyDefaults) -> Policy? {
    guard let node = self[key]?.node else { return nil }
    return policy(node, at: SettingsPath(key), defaults, isRequired: false, recovery: recovery(key))
  }

  private func readOthers(into policies: inout ConnectorSettings.Policies) {
    guard let node = self[.policies]?.node else { return }
    let path = SettingsPath(.policies)
    let recovery = recovery(.emailSignIn)
    switch node {
    case .array(let nodes):
      for (index, node) in nodes.enumerated() {
        let path = path.appending(index: index)
        let policy = policy(node, at: path, .none, isRequired: false, recovery: recovery)
        add(policy, at: path, to: &policies)
      }
    case .dictionary(let fields):
      for field in fields {
        let path = path.appending(key: field.key)
        guard !reportSwapped(field, at: path) else { continue }
        let kind = PolicyKindName.kind(field.key)
        let name = kind == nil ? self.name(field, at: path) : nil
        let defaults = PolicyDefaults(name: name, kind: kind ?? .signUpOrSignIn)
        let policy = policy(field.node, at: path, defaults, isRequired: true, recovery: recovery)
        add(policy, at: path, to: &policies)
      }
    case .unreadable: break
    default: reportType(node, at: path, expected: "an array or a dictionary", recovery: self.recovery(.policies))
    }
  }

  /// Reports that id and name are swapped; the value may even be a valid id.
  private func reportSwapped(_ field: Node.Field, at path: SettingsPath) -> Bool {
    guard case .string(let text) = field.node, Self.isLikeID(field.key), !text.trimmed.isEmpty,
      !Self.isLikeID(text.trimmed)
    else { return false }
    findings.add(
      .invalidPolicy, "The key is a policy's id, but its value is not.", at: path, value: text,
      recovery: "Write the id as the value, and as the key what the policy does (signIn) or its name.")
    return true
  }

  private static func isLikeID(_ text: String) -> Bool { text.lowercased().hasPrefix("b2c_1") }

  /// Returns the key of a policy as its name.
  private func name(_ field: Node.Field, at path: SettingsPath) -> String? {
    let entry = Entry(text: field.key.trimmed, path: path, recovery: recovery(.policies), isKey: true)
    return check(entry, isRequired: false, isFree: true) ? entry.text : nil
  }

  private func add(_ policy: Policy?, at path: SettingsPath, to policies: inout ConnectorSettings.Policies) {
    guard let policy else { return }
    guard policies[policy.id] == nil else {
      findings.add(
        .duplicatePolicy, "The policy is already listed; only the first is used.", at: path, severity: .warning,
        value: policy.id, recovery: "Remove one of them.")
      return
    }
    policies.others.append(policy)
  }

  /// Returns a policy written as its id, or as a dictionary with `id`, `name`, `kind` and `domainHint`.
  private func policy(
    _ node: Node, at path: SettingsPath, _ defaults: PolicyDefaults, isRequired: Bool, recovery: String
  ) -> Policy? {
    guard case .dictionary(let fields) = node else {
      guard let entry = text(node, at: path, isRequired: isRequired, recovery: recovery) else { return nil }
      return policy(entry, defaults)
    }
    var defaults = defaults
    var id: Entry?
    for field in fields {
      let path = path.appending(key: field.key)
      guard Self.policyKeys.contains(field.key) else {
        let nearest = EditDistance.nearest(to: field.key, among: Self.policyKeys) { $0 }
        warnUnknown(path, nearest: nearest)
        continue
      }
      let isID = field.key == "id"
      let entry = text(
        field.node, at: path, isRequired: isID, isFree: field.key == "name",
        recovery: isID ? recovery : "Remove the key.")
      guard let entry else { continue }
      switch field.key {
      case "id": id = entry
      case "name": defaults.name = entry.text
      case "kind": defaults.kind = kind(entry)
      default: defaults.domainHint = entry.text
      }
    }
    if !fields.contains(where: { $0.key == "id" }) {
      findings.add(
        .missingKey, "The policy has no id.", at: path.appending(key: "id"), recovery: recovery,
        offset: findings.valueOffset(path))
    }
    return id.flatMap { policy($0, defaults) }
  }

  private func kind(_ entry: Entry) -> Policy.Kind {
    if let kind = PolicyKindName.kind(entry.text) { return kind }
    report(
      entry, .unknownPolicyKind, "The kind of policy is unknown.", severity: .warning,
      suggestion: PolicyKindName.nearest(entry.text),
      recovery: "Known are signUp, signIn, signUpOrSignIn, profileEdit, passwordReset and federatedSignIn.")
    return Policy.Kind(rawValue: entry.text)
  }

  private func policy(_ entry: Entry, _ defaults: PolicyDefaults) -> Policy? {
    do throws(AuthorityError) {
      return try Policy(
        id: entry.text, name: defaults.name, kind: defaults.kind, domainHint: defaults.domainHint)
    } catch {
      report(entry, .invalidPolicy, error)
      return nil
    }
  }
}

// The default policy, and what only the authority and the policies together can show.
extension SettingsReader {
  private func readSelected(among policies: ConnectorSettings.Policies) -> Policy? {
    let name = text(.policyName, isFree: true)
    guard let node = self[.policyID]?.node else {
      return name.flatMap { named($0, among: policies) }
    }
    let path = SettingsPath(.policyID)
    guard let bare = policy(node, at: path, .none, isRequired: false, recovery: recovery(.policyID)) else {
      return nil
    }
    // A dictionary is complete; a bare id means the policy of the list, if it is there.
    if case .dictionary = node { return bare }
    let listed = policies[bare.id]
    let defaults = PolicyDefaults(
      name: name?.text ?? listed?.name, kind: listed?.kind ?? bare.kind, domainHint: listed?.domainHint)
    return try? Policy(
      id: bare.id, name: defaults.name == listed?.id ? nil : defaults.name, kind: defaults.kind,
      domainHint: defaults.domainHint)
  }

  private func named(_ name: Entry, among policies: ConnectorSettings.Policies) -> Policy? {
    let folded = name.text.lowercased()
    if let policy = policies.all.first(where: { $0.name.lowercased() == folded || $0.key == folded }) { return policy }
    report(
      name, .unusedKey, "No policy has this name, and policyID does not contain its id.", severity: .warning,
      recovery: "Add the key policyID, or remove policyName.")
    return nil
  }

  func checkTogether(_ authority: Authority?, policies: ConnectorSettings.Policies) {
    guard let authority, self[.authority] != nil else { return }
    let entry = Entry(
      text: authority.description, path: SettingsPath(.authority), recovery: recovery(.authority))
    let ordered = [policies.selected].compactMap(\.self) + policies.all.filter { $0.key != policies.selected?.key }
    if let warning = authority.retirement(for: ordered.first) {
      report(entry, .retiredAuthority, warning, severity: .warning)
    }
    let policy = ordered.first ?? authority.policy
    if authority.kind(for: policy) == .b2c {
      if policy == nil { warnNoPolicy(entry) }
    } else if let policy {
      report(
        entry, .unexpectedPolicy,
        "An authority of kind \(authority.kind.rawValue) has no policies, and \(policy.id) is given.",
        severity: .warning, recovery: "Remove the policies, or write the authority of an Azure AD B2C tenant.")
    }
  }

  private func warnNoPolicy(_ entry: Entry) {
    // A policy that is there and refused has its own problem.
    guard !hasPolicyKey || !findings.hasErrors else { return }
    report(
      entry, .noPolicy, "The authority runs policies, and no policy is given.", severity: .warning,
      recovery: "Add emailSignInPolicyId or policies, unless the app names its policies itself.")
  }
}
