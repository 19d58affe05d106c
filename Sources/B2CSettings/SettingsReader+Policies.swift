import B2CAuthority
import B2CCore

// Reads the tutorial's three keys for policies, its pair `policyName` and `policyID`, and the key `policies`.
extension SettingsReader {
  /// The keys of a policy that is a dictionary.
  private static let policyKeys = ["id", "name", "kind", "domainHint"]

  mutating func readPolicies() -> ConnectorSettings.Policies {
    var policies = ConnectorSettings.Policies()
    policies.emailSignUp = policy(.emailSignUp, kind: .signUp)
    policies.facebookSignIn = policy(.facebookSignIn, kind: .federatedSignIn, domainHint: "facebook.com")
    policies.emailSignIn = policy(.emailSignIn, kind: .signIn)
    readOthers(into: &policies)
    policies.selected = readSelected(among: policies)
    return policies
  }

  private mutating func policy(_ key: SettingsKey, kind: Policy.Kind? = nil, domainHint: String? = nil) -> Policy? {
    self[key].flatMap { policy($0, at: key.rawValue, kind: kind, domainHint: domainHint, recovery: key.recovery) }
  }

  private mutating func readOthers(into policies: inout ConnectorSettings.Policies) {
    guard let value = self[.policies] else { return }
    let (root, recovery) = (SettingsKey.policies.rawValue, SettingsKey.policies.recovery)
    var members: [(path: String, key: String?, value: Any)] = []
    if let values = value as? [Any] {
      members = values.enumerated().map { ("\(root)[\($0)]", nil, $1) }
    } else if let fields = value as? [String: Any] {
      members = fields.sorted { $0.key < $1.key }.map { (root + "." + Self.path($0), $0, $1) }
    } else {
      reportType(value, at: root, "an array or a dictionary", recovery: recovery)
    }
    for (path, key, value) in members {
      let kind = key.flatMap(Policy.Kind.named)
      let name = kind == nil ? key.flatMap { text($0, at: path, isFree: true, recovery: recovery)?.text } : nil
      let policy = policy(
        value, at: path, name: name, kind: kind, isRequired: key != nil, recovery: SettingsKey.emailSignIn.recovery)
      guard let policy else { continue }
      if policies[policy.id] == nil {
        policies.others.append(policy)
      } else {
        let entry = Entry(text: policy.id, path: path, recovery: "Remove one of them.")
        warn(entry, "The policy is listed twice, and only the first one is used.")
      }
    }
  }

  /// Returns a policy that is written as its id, or as a dictionary with `id`, `name`, `kind` and `domainHint`.
  ///
  /// The other parameters are used for what the dictionary does not contain.
  private mutating func policy(
    _ value: Any, at path: String, name: String? = nil, kind: Policy.Kind? = nil, domainHint: String? = nil,
    isRequired: Bool = false, recovery: String
  ) -> Policy? {
    let fields = value as? [String: Any]
    var (id, name, kind, domainHint) = (Entry?.none, name, kind, domainHint)
    for (key, value) in (fields ?? ["id": value]).sorted(by: { $0.key < $1.key }) {
      let path = fields == nil ? path : path + "." + Self.path(key)
      guard Self.policyKeys.contains(key) else {
        warnUnknown(path, nearest: SettingsKey.meant(by: key) == .policyID ? "id" : key.nearest(among: Self.policyKeys))
        continue
      }
      let entry = text(
        value, at: path, isRequired: key == "id" && (fields != nil || isRequired), isFree: key == "name",
        recovery: key == "id" ? recovery : "Remove the key.")
      guard let entry else { continue }
      switch key {
      case "id": id = entry
      case "name": name = entry.text
      case "kind": kind = self.kind(entry) ?? kind
      default: domainHint = entry.text
      }
    }
    if let fields, fields["id"] == nil {
      errors.append(SettingsProblem("The policy has no id.", at: path + ".id", recoverySuggestion: recovery))
    }
    guard let id else { return nil }
    do {
      return try Policy(id: id.text, name: name, kind: kind, domainHint: domainHint)
    } catch {
      let error = error as? ConnectorError
      report(id, error?.message ?? "The policy id is invalid.", recovery: error?.recoverySuggestion)
      return nil
    }
  }

  private mutating func kind(_ entry: Entry) -> Policy.Kind? {
    if let kind = Policy.Kind.named(entry.text) { return kind }
    report(
      entry, "The kind of policy is unknown.",
      suggestion: entry.text.nearest(among: Policy.Kind.allCases.map(\.rawValue)),
      recovery: "Write signUp, signIn, signUpOrSignIn, profileEdit, passwordReset or federatedSignIn.")
    return nil
  }
}

// Reads the default policy, and checks the authority and the policies together.
extension SettingsReader {
  private mutating func readSelected(among policies: ConnectorSettings.Policies) -> Policy? {
    let name = text(.policyName, isFree: true)
    guard let value = self[.policyID] else {
      if let name {
        warn(name, "policyName has no effect without policyID.", recovery: "Add the key policyID, or remove this key.")
      }
      return nil
    }
    guard let bare = policy(.policyID) else { return nil }
    // A dictionary defines a policy of its own, but an id alone refers to the listed policy with that id, if there is
    // one.
    guard value is String else { return bare }
    let listed = policies[bare.id]
    let listedName = listed.flatMap { $0.name == $0.id ? nil : $0.name }
    return try? Policy(id: bare.id, name: name?.text ?? listedName, kind: listed?.kind, domainHint: listed?.domainHint)
  }

  mutating func checkTogether(_ authority: Authority, policies: ConnectorSettings.Policies, userID: Entry?) {
    if kind == .entra, authority.servesAnyTenant, let userID, !userID.text.isEmpty, !GUID.isGUID(userID.text) {
      warn(
        userID, "Users of any tenant can sign in at this authority, and every tenant can give them this name.",
        recovery: "Write the user's object ID, which no other tenant can choose.")
    }
    let entry = Entry(authority.description, of: .authority)
    let ordered = [policies.selected].compactMap(\.self) + policies.all.filter { $0.key != policies.selected?.key }
    if let retired = authority.retirement(for: ordered.first) {
      warn(entry, retired.message, suggestion: retired.suggestion, recovery: retired.recoverySuggestion)
    }
    let policy = ordered.first ?? authority.policy
    if authority.kind(for: policy) != .b2c {
      guard let policy else { return }
      warn(
        entry, "An authority of the kind \(authority.kind.rawValue) has no policies, but \(policy.id) is given.",
        recovery: "Remove the policies, or write the authority of an Azure AD B2C tenant.")
    } else if policy == nil, !hasPolicyKey || errors.isEmpty {
      // If there is a policy that was refused, its own problem is reported, so do not also report that there is none.
      warn(
        entry, "The authority needs a policy, and no policy is given.",
        recovery: "Add emailSignInPolicyId or policies, unless your app passes a policy to each sign-in.")
    }
  }
}
