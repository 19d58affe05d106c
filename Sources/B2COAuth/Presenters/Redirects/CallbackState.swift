internal import B2CCore
internal import Foundation

/// Tells a flow's own callback from all others.
enum CallbackState {
  /// Whether parameters carry a state exactly once and it is the right one.
  static func isRight(_ pairs: [(name: String, value: String)], for state: Secret) -> Bool {
    let states = pairs.filter { $0.name == "state" }
    guard states.count == 1 else { return false }
    return state.isEqualInConstantTime(to: Secret(states[0].value))
  }

  /// Whether a URL came to the redirect URI with the right state, in its query or its fragment.
  static func isRight(_ url: URL, redirectURI: URL, state: Secret) -> Bool {
    guard (try? RedirectMatch.redirectURI(of: url, registered: redirectURI)) != nil else { return false }
    let parts = url.absoluteString.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
    let query = parts[0].split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false).dropFirst().first ?? ""
    let fragment = parts.count > 1 ? parts[1] : ""
    return isRight(FormEncoding.decode(query), for: state) || isRight(FormEncoding.decode(fragment), for: state)
  }
}
