/// What is known of the session in the browser after a sign-out.
public enum BrowserSignOut: Sendable, Hashable {
  /// The browser came back from the server's sign-out page, with the request's `state`.
  case ended
  /// The page was opened, and nothing proves that the browser came back from it: the session may go on.
  ///
  /// The user closed the page, the time was up, or what came back has no `state` of this sign-out.
  case unconfirmed
  /// No page was opened: only the tokens are gone.
  case notAsked
}
