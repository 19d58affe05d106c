/// What is known of the session in the browser after a sign-out.
public enum BrowserSignOut: Sendable, Hashable {
  /// The browser came back from the server's sign-out page.
  case ended
  /// The page was opened and the browser did not come back: the session may go on.
  ///
  /// The user closed the page, the time was up, or the server was not asked to send the browser back to the app.
  case unconfirmed
  /// No page was opened: only the tokens are gone.
  case notAsked
}
