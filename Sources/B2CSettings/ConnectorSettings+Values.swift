import B2CAuthority
import Foundation

extension ConnectorSettings {
  /// Checks settings made in code as those of a file are checked.
  ///
  /// - Returns: The warnings.
  /// - Throws: ``SettingsError`` with all problems.
  @discardableResult
  public func validate() throws(SettingsError) -> [SettingsProblem] {
    try ConnectorSettings(values: fileValues).warnings
  }

  /// The settings as the values of a file, by key, from which equal settings are read.
  package var fileValues: [String: Any] {
    var values: [SettingsKey: Any] = [
      .authority: authority.description, .clientID: clientID, .scopes: scopes,
      .redirectURI: redirectURI.absoluteString, .fullScreen: fullScreen, .showClaims: showClaims,
    ]
    // The kind follows from the text on Microsoft's hosts, and from a policy in it.
    let reread = try? Authority(authority.description)
    if reread != authority { values[.authorityKind] = authority.kind.rawValue }
    if !additionalScopes.isEmpty { values[.additionalScopes] = additionalScopes }
    values[.taskWebAPI] = taskWebAPI?.absoluteString
    values[.correlationID] = correlationID?.uuidString
    values[.userID] = userID
    values.merge(policies.fileValues) { $1 }
    return Dictionary(uniqueKeysWithValues: values.map { ($0.rawValue, $1) })
  }
}

extension ConnectorSettings.Policies {
  fileprivate var fileValues: [SettingsKey: Any] {
    var values: [SettingsKey: Any] = [:]
    values[.emailSignUp] = emailSignUp.map { Self.value($0, .emailSignUp) }
    values[.facebookSignIn] = facebookSignIn.map { Self.value($0, .facebookSignIn) }
    values[.emailSignIn] = emailSignIn.map { Self.value($0, .emailSignIn) }
    if !others.isEmpty { values[.policies] = others.map { Self.value($0, .none) } }
    if let selected {
      var rest = self
      rest.selected = nil
      let listed = rest[selected.id]
      values[.policyID] = Self.value(
        selected,
        PolicyDefaults(
          name: listed.flatMap { $0.name == $0.id ? nil : $0.name }, kind: listed?.kind ?? .signUpOrSignIn,
          domainHint: listed?.domainHint))
    }
    return values
  }

  /// Returns the id alone where that is complete, otherwise a dictionary.
  private static func value(_ policy: Policy, _ defaults: PolicyDefaults) -> Any {
    let bare = try? Policy(id: policy.id, name: defaults.name, kind: defaults.kind, domainHint: defaults.domainHint)
    if bare == policy { return policy.id }
    var values = ["id": policy.id, "kind": policy.kind.rawValue]
    if policy.name != policy.id { values["name"] = policy.name }
    values["domainHint"] = policy.domainHint
    return values
  }
}
