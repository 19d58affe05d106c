package import B2CCore
package import B2CHTTP

/// A provider of the tokens `token-1`, `token-2` and so on, or of given ones: the next one for each that is refused.
package final class CannedTokens: Sendable {
  private let tokens: [String]
  private let state = Locked<(number: Int, asked: [Secret?])>((1, []))

  package init(_ tokens: String...) {
    self.tokens = tokens
  }

  /// The tokens that the provider was asked to replace, in order; `nil` for a first try.
  package var asked: [Secret?] { state.withLock { $0.asked } }

  /// The provider as the transport takes it.
  package var source: BearerTokens { { self.token(replacing: $0) } }

  private func token(replacing refused: BearerToken?) -> BearerToken {
    state.withLock { state in
      state.asked.append(refused?.token)
      if refused?.token.value == token(state.number) { state.number += 1 }
      return (Secret(token(state.number)), "alice")
    }
  }

  /// The last of the given tokens serves for ever.
  private func token(_ number: Int) -> String {
    tokens.isEmpty ? "token-\(number)" : tokens[min(number, tokens.count) - 1]
  }
}
