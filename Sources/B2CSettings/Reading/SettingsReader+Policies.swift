import B2CAuthority

// Policies: the tutorial's three keys, its policyName/policyID pair, and the `policies` list.
extension SettingsReader {
  /// The keys of a policy that is written as a dictionary.
  private static let policyKeys = ["id", "name", "kind", "domainHint"]

  mutating func readPolicies() -> Settings.Policies {
    var policies = Settings.Policies()
    policies.emailSignUp = policy(.emailSignUp, .emailSignUp)
    policies.facebookSignIn = policy(.facebookSignIn, .facebookSignIn)
    policies.emailSignIn = policy(.emailSignIn, .emailSignIn)
    readOthers(into: &policies)
    policies.selected = readSelected(among: policies)
    return policies
  }

  private mutating func policy(_ key: SettingsKey, _ defaults: PolicyDefaults) -> Policy? {
    guard let node = self[key]?.node else { return nil }
    return policy(node, at: KeyPath(key.rawValue), defaults, isRequired: false, advice: key.advice)
  }

  private mutating func readOthers(into policies: inout Settings.Policies) {
    guard let node = self[.policies]?.node else { return }
    let path = KeyPath(SettingsKey.policies.rawValue)
    let advice = SettingsKey.emailSignIn.advice
    switch node.value {
    case .array(let nodes):
      for (index, node) in nodes.enumerated() {
        let path = path.appending(index: index)
        let policy = policy(node, at: path, .none, isRequired: false, advice: advice)
        add(policy, from: node, at: path, to: &policies)
      }
    case .dictionary(let members):
      for member in unique(members, in: path) {
        let path = path.appending(key: member.key)
        guard !noteTurned(member, at: path) else { continue }
        let kind = PolicyKindName.kind(member.key)
        let name = kind == nil ? self.name(member, at: path) : nil
        let defaults = PolicyDefaults(name: name, kind: kind ?? .signUpOrSignIn)
        let policy = policy(member.node, at: path, defaults, isRequired: true, advice: advice)
        add(policy, from: member.node, at: path, to: &policies)
      }
    case .null, .unreadable: break
    default: noteType(node, at: path, wanted: "an array or a dictionary", advice: SettingsKey.policies.advice)
    }
  }

  /// Notes that id and name have changed places; the value may even read like an id.
  private mutating func noteTurned(_ member: Node.Member, at path: KeyPath) -> Bool {
    guard case .string(let text) = member.node.value, Self.isLikeID(member.key), !text.trimmed.isEmpty,
      !Self.isLikeID(text.trimmed)
    else { return false }
    findings.add(
      SettingsProblem(
        keyPath: path.description, kind: .invalidPolicy, value: text,
        message: "The key is a policy's id, and its value is none.",
        advice: "Write the id as the value, and as the key what the policy does (signIn) or its name."),
      at: member.node.offset)
    return true
  }

  private static func isLikeID(_ text: String) -> Bool { text.lowercased().hasPrefix("b2c_1") }

  /// The key of a policy that serves as its name.
  private mutating func name(_ member: Node.Member, at path: KeyPath) -> String? {
    let key = Node(value: .string(member.key), offset: member.keyOffset)
    return text(key, at: path, isRequired: false, isFree: true, advice: SettingsKey.policies.advice)?.text
  }

  private mutating func add(_ policy: Policy?, from node: Node, at path: KeyPath, to policies: inout Settings.Policies)
  {
    guard let policy else { return }
    guard policies[policy.id] == nil else {
      findings.add(
        SettingsProblem(
          keyPath: path.description, kind: .duplicatePolicy, severity: .warning, value: policy.id,
          message: "The policy is listed already; only the first is used.", advice: "Remove one of them."),
        at: node.offset)
      return
    }
    policies.others.append(policy)
  }

  /// A policy written as its id, or as a dictionary with `id`, `name`, `kind` and `domainHint`.
  private mutating func policy(
    _ node: Node, at path: KeyPath, _ defaults: PolicyDefaults, isRequired: Bool, advice: String
  ) -> Policy? {
    guard case .dictionary(let members) = node.value else {
      guard let entry = text(node, at: path, isRequired: isRequired, advice: advice) else { return nil }
      return policy(entry, defaults)
    }
    var defaults = defaults
    var id: Entry?
    let unique = unique(members, in: path)
    for member in unique {
      let path = path.appending(key: member.key)
      guard Self.policyKeys.contains(member.key) else {
        let nearest = EditDistance.nearest(to: member.key, among: Self.policyKeys) { $0 }
        warnStranger(path, at: member.keyOffset, nearest: nearest)
        continue
      }
      let isID = member.key == "id"
      guard
        let entry = text(
          member.node, at: path, isRequired: isID, isFree: member.key == "name",
          advice: isID ? advice : "Remove the key.")
      else {
        continue
      }
      switch member.key {
      case "id": id = entry
      case "name": defaults.name = entry.text
      case "kind": defaults.kind = kind(entry)
      default: defaults.domainHint = entry.text
      }
    }
    if !unique.contains(where: { $0.key == "id" }) { noteMissingID(at: path, offset: node.offset, advice: advice) }
    return id.flatMap { policy($0, defaults) }
  }

  private mutating func noteMissingID(at path: KeyPath, offset: Int?, advice: String) {
    findings.add(
      SettingsProblem(
        keyPath: path.appending(key: "id").description, kind: .missingKey, message: "The policy has no id.",
        advice: advice),
      at: offset)
  }

  private mutating func kind(_ entry: Entry) -> Policy.Kind {
    if let kind = PolicyKindName.kind(entry.text) { return kind }
    findings.add(
      .about(
        entry, .unknownPolicyKind, severity: .warning, "The kind of policy is not known here.",
        correctedValue: PolicyKindName.nearest(entry.text),
        advice: "Known are signUp, signIn, signUpOrSignIn, profileEdit, passwordReset and federatedSignIn."),
      at: entry.offset)
    return Policy.Kind(rawValue: entry.text)
  }

  private mutating func policy(_ entry: Entry, _ defaults: PolicyDefaults) -> Policy? {
    do throws(AuthorityError) {
      return try Policy(
        id: entry.text, name: defaults.name, kind: defaults.kind, domainHint: defaults.domainHint)
    } catch {
      findings.add(problem(entry, .invalidPolicy, error), at: entry.offset)
      return nil
    }
  }
}

// The policy that is used when none is named.
extension SettingsReader {
  private mutating func readSelected(among policies: Settings.Policies) -> Policy? {
    let name = text(.policyName, isFree: true)
    guard let node = self[.policyID]?.node else {
      return name.flatMap { named($0, among: policies) }
    }
    let path = KeyPath(SettingsKey.policyID.rawValue)
    let advice = SettingsKey.policyID.advice
    guard let bare = policy(node, at: path, .none, isRequired: false, advice: advice) else { return nil }
    // A dictionary says all itself; a bare id means the policy of the list, if it is there.
    if case .dictionary = node.value { return bare }
    let listed = policies[bare.id]
    let defaults = PolicyDefaults(
      name: name?.text ?? listed?.name, kind: listed?.kind ?? bare.kind, domainHint: listed?.domainHint)
    return try? Policy(
      id: bare.id, name: defaults.name == listed?.id ? nil : defaults.name, kind: defaults.kind,
      domainHint: defaults.domainHint)
  }

  private mutating func named(_ name: Entry, among policies: Settings.Policies) -> Policy? {
    let folded = name.text.lowercased()
    if let policy = policies.all.first(where: { $0.name.lowercased() == folded || $0.key == folded }) { return policy }
    findings.add(
      .about(
        name, .unusedKey, severity: .warning, "No policy has this name, and policyID does not give its id.",
        advice: "Add the key policyID, or remove policyName."),
      at: name.offset)
    return nil
  }

  /// What only the authority and the policies together can show.
  mutating func checkTogether(_ authority: Authority?, policies: Settings.Policies) {
    guard let authority, let member = self[.authority] else { return }
    let entry = Entry(
      text: authority.description, path: KeyPath(member.key), offset: member.node.offset,
      advice: SettingsKey.authority.advice)
    if let error = authority.tenantWarning {
      findings.add(problem(entry, .unusualTenant, severity: .warning, error), at: entry.offset)
    }
    let policy = policies.selected ?? policies.all.first ?? authority.policy
    if let error = authority.retirement(for: policy) {
      findings.add(problem(entry, .retiredAuthority, severity: .warning, error), at: entry.offset)
    }
    if authority.kind(for: policy) == .b2c {
      noteMissingPrefixes(policies)
      if policy == nil { noteNoPolicy(entry) }
    } else if let policy {
      findings.add(
        .about(
          entry, .unexpectedPolicy, severity: .warning,
          "Such an authority runs no policies, and \(policy.id) is given.",
          advice: "Remove the policies, or give the authority of an Azure AD B2C tenant."),
        at: entry.offset)
    }
  }

  private mutating func noteNoPolicy(_ entry: Entry) {
    let hasPolicyKey = [.emailSignUp, .facebookSignIn, .emailSignIn, .policies, .policyID].contains { self[$0] != nil }
    // A policy that is there and refused has its own problem.
    guard !hasPolicyKey || !findings.hasErrors else { return }
    findings.add(
      .about(
        entry, .noPolicy, severity: .warning, "The authority runs policies, and no policy is given.",
        advice: "Add emailSignInPolicyId or policies, unless the app names its policies itself."),
      at: entry.offset)
  }

  private mutating func noteMissingPrefixes(_ policies: Settings.Policies) {
    for policy in policies.all {
      guard let error = policy.prefixWarning else { continue }
      let key = policies.key(of: policy)
      let node = self[key]?.node
      findings.add(
        SettingsProblem(
          keyPath: key.rawValue, kind: .unusualPolicyPrefix, severity: .warning, value: policy.id,
          message: error.message, correctedValue: error.suggestion, advice: error.recoverySuggestion),
        at: node?.offset)
    }
  }
}
