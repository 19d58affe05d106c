import B2CCore
import TaskAPI

/// Hands out tokens in order; the last one for ever.
final class CannedTokens: AccessTokenProvider {
  private struct State {
    var tokens: [String]
    var refused: [Secret?] = []
  }

  private let state: Locked<State>

  init(_ tokens: String...) {
    state = Locked(State(tokens: tokens))
  }

  var refused: [Secret?] { state.withLock { $0.refused } }

  func accessToken(replacing refused: Secret?) async throws -> Secret {
    state.withLock { state in
      state.refused.append(refused)
      if refused != nil, state.tokens.count > 1 { state.tokens.removeFirst() }
      return Secret(state.tokens[0])
    }
  }
}

/// Has no token to give.
struct NoTokens: AccessTokenProvider {
  struct SignedOut: Error, Equatable {}

  func accessToken(replacing refused: Secret?) async throws -> Secret { throw SignedOut() }
}
