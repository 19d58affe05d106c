/// Options of a sign-out that ends the browser session.
public struct SignOutOptions: Sendable {
  /// Whether the page's URL carries the id_token (`id_token_hint`).
  ///
  /// Needed where the server asks for it; it puts personal data into a URL.
  public var sendsIDTokenHint = false
  /// How long to wait for the browser; 60 seconds.
  ///
  /// Many servers do not send the browser back. The time's end is no error: the page was shown, and the tokens are gone.
  public var timeout = Duration.seconds(60)

  /// Makes options with the defaults.
  public init() {}
}
