import B2CAuthority
import B2CCore

/// The properties of a policy that its place in the file implies.
struct PolicyDefaults {
  var name: String?
  var kind = Policy.Kind.signUpOrSignIn
  var domainHint: String?
}

// Policies: the tutorial's three keys, its policyName/policyID pair, and the `policies` list.
extension SettingsReader {
  /// The keys of a policy that is written as a dictionary.
  private static let policyKeys = ["id", "name", "kind", "domainHint"]

  mutating func readPolicies() -> ConnectorSettings.Policies {
    var policies = ConnectorSettings.Policies()
    policies.emailSignUp = policy(.emailSignUp, PolicyDefaults(kind: .signUp))
    policies.facebookSignIn = policy(
      .facebookSignIn, PolicyDefaults(kind: .federatedSignIn, domainHint: "facebook.com"))
    policies.emailSignIn = policy(.emailSignIn, PolicyDefaults(kind: .signIn))
    readOthers(into: &policies)
    policies.selected = readSelected(among: policies)
    return policies
  }

  private mutating func policy(_ key: SettingsKey, _ defaults: PolicyDefaults) -> Policy? {
    self[key].flatMap { policy($0, at: key.rawValue, defaults, recovery: recovery(key)) }
  }

  private mutating func readOthers(into policies: inout ConnectorSettings.Policies) {
    guard let value = self[.policies] else { return }
    let root = SettingsKey.policies.rawValue
    let recovery = recovery(.emailSignIn)
    if let values = value as? [Any] {
      for (index, value) in values.enumerated() {
        let path = "\(root)[\(index)]"
        add(policy(value, at: path, PolicyDefaults(), recovery: recovery), at: path, to: &policies)
      }
    } else if let fields = value as? [String: Any] {
      for (key, value) in fields.sorted(by: { $0.key < $1.key }) {
        let path = root + "." + Self.path(key)
        guard !reportSwapped(key, value, at: path) else { continue }
        let kind = PolicyKindName.kind(key)
        let name = Entry(text: key.trimmed, path: path, recovery: self.recovery(.policies))
        let isName = kind == nil && check(name, isRequired: false, isFree: true)
        let defaults = PolicyDefaults(name: isName ? name.text : nil, kind: kind ?? .signUpOrSignIn)
        add(policy(value, at: path, defaults, isRequired: true, recovery: recovery), at: path, to: &policies)
      }
    } else {
      reportType(value, at: root, expected: "an array or a dictionary", recovery: self.recovery(.policies))
    }
  }

  /// Reports that id and name are swapped; the value may even be a valid id.
  private mutating func reportSwapped(_ key: String, _ value: Any, at path: String) -> Bool {
    func isLikeID(_ text: String) -> Bool { text.lowercased().hasPrefix("b2c_1") }
    guard let text = (value as? String)?.trimmed, isLikeID(key), !text.isEmpty, !isLikeID(text) else { return false }
    add(
      SettingsProblem(
        "The key is a policy's id, but its value is not.", at: path, value: text,
        recoverySuggestion: "Write the id as the value, and as the key what the policy does (signIn) or its name."))
    return true
  }

  private mutating func add(_ policy: Policy?, at path: String, to policies: inout ConnectorSettings.Policies) {
    guard let policy else { return }
    guard policies[policy.id] == nil else {
      warn(
        SettingsProblem(
          "The policy is already listed; only the first is used.", at: path, value: policy.id,
          recoverySuggestion: "Remove one of them."))
      return
    }
    policies.others.append(policy)
  }

  /// Returns a policy written as its id, or as a dictionary with `id`, `name`, `kind` and `domainHint`.
  private mutating func policy(
    _ value: Any, at path: String, _ defaults: PolicyDefaults, isRequired: Bool = false, recovery: String
  ) -> Policy? {
    guard let fields = value as? [String: Any] else {
      return text(value, at: path, isRequired: isRequired, recovery: recovery).flatMap { policy($0, defaults) }
    }
    var defaults = defaults
    var id: Entry?
    for (key, value) in fields.sorted(by: { $0.key < $1.key }) {
      let path = path + "." + Self.path(key)
      guard Self.policyKeys.contains(key) else {
        warnUnknown(path, nearest: key.nearest(among: Self.policyKeys))
        continue
      }
      let entry = text(
        value, at: path, isRequired: key == "id", isFree: key == "name",
        recovery: key == "id" ? recovery : "Remove the key.")
      guard let entry else { continue }
      switch key {
      case "id": id = entry
      case "name": defaults.name = entry.text
      case "kind": defaults.kind = kind(entry) ?? defaults.kind
      default: defaults.domainHint = entry.text
      }
    }
    if fields["id"] == nil {
      add(SettingsProblem("The policy has no id.", at: path + ".id", recoverySuggestion: recovery))
    }
    return id.flatMap { policy($0, defaults) }
  }

  private mutating func kind(_ entry: Entry) -> Policy.Kind? {
    if let kind = PolicyKindName.kind(entry.text) { return kind }
    report(
      entry, "The kind of policy is unknown.", suggestion: PolicyKindName.nearest(entry.text),
      recovery: "Known are signUp, signIn, signUpOrSignIn, profileEdit, passwordReset and federatedSignIn.")
    return nil
  }

  private mutating func policy(_ entry: Entry, _ defaults: PolicyDefaults) -> Policy? {
    do {
      return try Policy(id: entry.text, name: defaults.name, kind: defaults.kind, domainHint: defaults.domainHint)
    } catch {
      let error = error as? ConnectorError
      report(entry, error?.message ?? "The policy id is invalid.", recovery: error?.recoverySuggestion)
      return nil
    }
  }
}

// The default policy, and what only the authority and the policies together can show.
extension SettingsReader {
  private mutating func readSelected(among policies: ConnectorSettings.Policies) -> Policy? {
    let name = text(.policyName, isFree: true)
    guard let value = self[.policyID] else { return name.flatMap { named($0, among: policies) } }
    guard let bare = policy(.policyID, PolicyDefaults()) else { return nil }
    // A dictionary is complete; a bare id means the policy of the list, if it is there.
    guard value is String else { return bare }
    let listed = policies[bare.id]
    let listedName = listed.flatMap { $0.name == $0.id ? nil : $0.name }
    return try? Policy(
      id: bare.id, name: name?.text ?? listedName, kind: listed?.kind ?? bare.kind, domainHint: listed?.domainHint)
  }

  private mutating func named(_ name: Entry, among policies: ConnectorSettings.Policies) -> Policy? {
    let folded = name.text.lowercased()
    if let policy = policies.all.first(where: { $0.name.lowercased() == folded || $0.key == folded }) { return policy }
    warn(
      problem(
        name, "No policy has this name, and policyID does not contain its id.",
        recovery: "Add the key policyID, or remove policyName."))
    return nil
  }

  mutating func checkTogether(_ authority: Authority, policies: ConnectorSettings.Policies) {
    let entry = Entry(
      text: authority.description, path: SettingsKey.authority.rawValue, recovery: recovery(.authority))
    let ordered = [policies.selected].compactMap(\.self) + policies.all.filter { $0.key != policies.selected?.key }
    if let retired = authority.retirement(for: ordered.first) {
      warn(problem(entry, retired.message, suggestion: retired.suggestion, recovery: retired.recoverySuggestion))
    }
    let policy = ordered.first ?? authority.policy
    if authority.kind(for: policy) != .b2c {
      guard let policy else { return }
      warn(
        problem(
          entry, "An authority of kind \(authority.kind.rawValue) has no policies, and \(policy.id) is given.",
          recovery: "Remove the policies, or write the authority of an Azure AD B2C tenant."))
    } else if policy == nil, !hasPolicyKey || errors.isEmpty {
      // A policy that is there and refused has its own problem.
      warn(
        problem(
          entry, "The authority runs policies, and no policy is given.",
          recovery: "Add emailSignInPolicyId or policies, unless the app names its policies itself."))
    }
  }
}
