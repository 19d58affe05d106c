public import Foundation

/// The one seam between the engine and the outside: shows a page, gives back the URL it ended on.
///
/// An app, a command line and a test each have their own; a new one is a type with one method.
public protocol SignInPresenter: Sendable {
  /// Says before anything opens whether this presenter can come back from a redirect URI.
  ///
  /// - Parameter redirectURI: The redirect URI of the settings.
  /// - Throws: ``OAuthError`` with code ``OAuthError/Code/unsupportedRedirectURI`` whose message names a presenter that
  ///   can.
  func validate(redirectURI: URL) throws

  /// Shows the page and waits until it redirects.
  ///
  /// - Parameter request: The page to show and the redirect to wait for.
  /// - Returns: The whole callback URL, unchanged.
  /// - Throws: ``OAuthError`` with code ``OAuthError/Code/userClosedBrowser`` when the user closed the page,
  ///   ``OAuthError/Code/presentationFailed``, ``OAuthError/Code/portInUse`` or ``OAuthError/Code/timedOut`` when it could
  ///   not be shown or nothing came back; `CancellationError` when the calling task was cancelled.
  func present(_ request: PresentationRequest) async throws -> URL
}

extension SignInPresenter {
  /// Accepts any redirect URI.
  ///
  /// - Parameter redirectURI: The redirect URI of the settings.
  /// - Throws: Nothing.
  public func validate(redirectURI: URL) throws {}
}
