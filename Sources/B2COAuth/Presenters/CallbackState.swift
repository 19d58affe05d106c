internal import B2CCore
internal import Foundation

/// Recognizes the callback of a sign-in by its state.
enum CallbackState {
  /// Whether parameters carry a state exactly once and it is the right one.
  static func isRight(_ pairs: [(name: String, value: String)], for state: Secret) -> Bool {
    let states = pairs.filter { ASCIIText.isSame($0.name, "state") }
    guard states.count == 1 else { return false }
    return state.isEqualInConstantTime(to: Secret(states[0].value))
  }

  /// Whether a URL came to the redirect URI with the right state, in the part that the rest is read from.
  static func isRight(_ url: URL, redirectURI: URL, state: Secret) -> Bool {
    isAtRedirect(url, redirectURI) && isRight(CallbackParameters.pairs(of: url), for: state)
  }

  /// Whether a URL came to the redirect URI, which is enough to end the wait of a sign-out.
  static func isAtRedirect(_ url: URL, _ redirectURI: URL) -> Bool {
    (try? RedirectMatch.redirectURI(of: url, registered: redirectURI)) != nil
  }
}
