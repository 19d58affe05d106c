internal import B2CTokenCache

/// The check of one rule: a fresh cache goes in, what is wrong with it comes out in words.
struct ConformanceCheck: Sendable {
  let rule: TokenCacheRule
  let body: @Sendable (any TokenCache) async throws -> String?

  init(_ rule: TokenCacheRule, _ body: @escaping @Sendable (any TokenCache) async throws -> String?) {
    self.rule = rule
    self.body = body
  }
}
