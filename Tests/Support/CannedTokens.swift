package import B2CCore
package import B2CHTTP

/// A provider of the tokens `token-1`, `token-2` and so on, or of given ones: the next one for each that is refused.
package final class CannedTokens: AccessTokenProvider {
  private let tokens: [String]
  private let state = Locked<(number: Int, asked: [Secret?], accepted: [Secret])>((1, [], []))

  package init(_ tokens: String...) {
    self.tokens = tokens
  }

  /// The tokens that the provider was asked to replace, in order; `nil` for a first try.
  package var asked: [Secret?] { state.withLock { $0.asked } }

  /// The tokens that the API answered with anything but 401, in order.
  package var accepted: [Secret] { state.withLock { $0.accepted } }

  package func accessToken(replacing refused: BearerToken?) async throws -> BearerToken {
    state.withLock { state in
      state.asked.append(refused?.token)
      if refused?.token.value == token(state.number) { state.number += 1 }
      return BearerToken(Secret(token(state.number)), userID: "alice")
    }
  }

  package func noteAccepted(_ token: BearerToken) {
    state.withLock { $0.accepted.append(token.token) }
  }

  /// The last of the given tokens serves for ever.
  private func token(_ number: Int) -> String {
    tokens.isEmpty ? "token-\(number)" : tokens[min(number, tokens.count) - 1]
  }
}
