/// Whether a process may use refresh tokens.
public enum TokenRefresh: Sendable, Hashable {
  /// Whenever an access token is wanted and none is stored that can be used.
  case automatic
  /// Never: stored access tokens are returned until they expire, then calls throw ``ErrorCode/refreshNotAllowed``.
  ///
  /// For a widget or another extension beside an app that refreshes: at a provider that accepts each refresh token once,
  /// a process that the system may end at any moment would lose the next one.
  case never
}
