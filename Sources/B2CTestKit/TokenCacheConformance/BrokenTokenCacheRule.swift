/// A rule that a token cache does not keep, and what was seen.
public struct BrokenTokenCacheRule: Sendable, Hashable, CustomStringConvertible {
  /// The rule.
  public let rule: TokenCacheRule
  /// What happened instead.
  public let observation: String

  /// The rule and what happened instead.
  public var description: String { "Broken: \(rule.rawValue). Seen: \(observation)" }
}
