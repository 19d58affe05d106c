import B2CCore
import B2CHTTP

/// A provider that numbers its tokens: a new one for each that was refused.
final class CannedTokens: AccessTokenProvider {
  private let state = Locked<(number: Int, asked: [Secret?])>((1, []))

  /// What the provider was asked to replace, in order; `nil` for a first try.
  var asked: [Secret?] { state.withLock { $0.asked } }

  func accessToken(replacing refused: Secret?) async throws -> Secret {
    state.withLock { state in
      state.asked.append(refused)
      if refused?.value == "token-\(state.number)" { state.number += 1 }
      return Secret("token-\(state.number)")
    }
  }
}
