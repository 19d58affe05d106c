/// Where in a URL the policy stands.
public enum PolicyForm: String, Sendable, Hashable, CaseIterable {
  /// `https://host/tenant/oauth2/v2.0/authorize?p=policy`.
  case query
  /// `https://host/tenant/policy/oauth2/v2.0/authorize`.
  case path
  /// `https://host/tfp/tenant/policy/oauth2/v2.0/authorize`.
  case tfp
}
