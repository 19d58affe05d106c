package import B2CCore
internal import B2CHTTP

/// A provider of the tokens `token-1`, `token-2` and so on, or of given ones: the next one for each that is refused.
package final class CannedTokens: AccessTokenProvider {
  private let tokens: [String]
  private let state = Locked<(number: Int, asked: [Secret?])>((1, []))

  package init(_ tokens: String...) {
    self.tokens = tokens
  }

  /// The tokens that the provider was asked to replace, in order; `nil` for a first try.
  package var asked: [Secret?] { state.withLock { $0.asked } }

  package func accessToken(replacing refused: Secret?) async throws -> Secret {
    state.withLock { state in
      state.asked.append(refused)
      if refused?.value == token(state.number) { state.number += 1 }
      return Secret(token(state.number))
    }
  }

  /// The last of the given tokens serves for ever.
  private func token(_ number: Int) -> String {
    tokens.isEmpty ? "token-\(number)" : tokens[min(number, tokens.count) - 1]
  }
}
