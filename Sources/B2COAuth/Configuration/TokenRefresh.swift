/// Whether a process may use refresh tokens, and when.
public enum TokenRefresh: Sendable, Hashable {
  /// Whenever an access token is wanted and none is stored that can be used.
  case automatic
  /// As ``automatic``, and before that beside the calls: no call waits for a renewal that is only early.
  ///
  /// A token that should be renewed and lasts another 60 seconds is returned at once and renewed beside the call, at
  /// most once a minute for an account and policy. If that fails, no call sees it as long as the token lasts; events tell
  /// (``OAuthEvent/Kind/proactiveRefresh``, and ``OAuthEvent/Kind/staleTokenServed`` with the error's code).
  ///
  /// For apps and servers, not for a process that ends after a call: a renewal under way would be lost with it, and with
  /// it the next refresh token. `Connector.close()` before the end waits for it.
  case proactive
  /// Never: stored access tokens are returned until they expire, then calls throw ``ErrorCode/refreshNotAllowed``.
  ///
  /// For a widget or another extension beside an app that refreshes: at a provider that accepts each refresh token once,
  /// a process that the system may end at any moment would lose the next one.
  case never
}
