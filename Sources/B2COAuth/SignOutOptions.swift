internal import B2CCore
public import Foundation

/// Options of a sign-out that ends the browser session.
public struct SignOutOptions: Sendable {
  /// Where the server sends the browser after the sign-out.
  public enum Redirect: Sendable, Hashable {
    /// The redirect URI of the configuration.
    case redirectURI
    /// Another URI that is registered for this.
    case uri(URL)
    /// Nowhere: the page stays, and the call ends when the user closes it or the time is up.
    ///
    /// With a ``LoopbackPresenter``, which does not see the page closed, it ends as soon as the browser has its address.
    case none
  }

  /// Where the server sends the browser after the sign-out.
  public var redirect = Redirect.redirectURI
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
