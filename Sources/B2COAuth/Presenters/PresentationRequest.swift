public import Foundation

/// A page to show and the redirect to wait for.
public struct PresentationRequest: Sendable {
  /// Why the page is shown.
  public enum Purpose: Sendable, Hashable {
    /// A policy is run: sign-up, sign-in, profile edit, password reset.
    case signIn
    /// The session at the server is ended.
    case signOut
  }

  /// Why the page is shown.
  public let purpose: Purpose
  /// The redirect URI as the settings have it.
  public let redirectURI: URL
  /// The request's `state`.
  ///
  /// A listener uses it to tell the real callback from others.
  public let state: Secret
  /// Whether the app wants a browser session that shares no cookies.
  public var prefersEphemeralSession: Bool
  /// Whether the app wants the page over the full screen (the tutorial's `fullScreen`).
  public var prefersFullScreen: Bool

  private let makeURL: @Sendable (URL) -> URL

  /// Makes a request to show a page.
  ///
  /// - Parameters:
  ///   - purpose: Why the page is shown.
  ///   - redirectURI: The redirect URI as the settings have it.
  ///   - state: The request's `state`.
  ///   - prefersEphemeralSession: Whether the app wants a browser session that shares no cookies.
  ///   - prefersFullScreen: Whether the app wants the page over the full screen.
  ///   - makeURL: Builds the URL of the page for a redirect URI.
  public init(
    purpose: Purpose, redirectURI: URL, state: Secret, prefersEphemeralSession: Bool = false,
    prefersFullScreen: Bool = false, makeURL: @escaping @Sendable (URL) -> URL
  ) {
    self.purpose = purpose
    self.redirectURI = redirectURI
    self.state = state
    self.prefersEphemeralSession = prefersEphemeralSession
    self.prefersFullScreen = prefersFullScreen
    self.makeURL = makeURL
  }

  /// The URL of the page to show.
  public var url: URL { makeURL(redirectURI) }

  /// The URL of the page to show when the redirect goes to another port of this machine.
  ///
  /// RFC 8252 section 7.3 lets a loopback redirect choose its port at request time; nothing else may differ.
  ///
  /// - Parameter loopbackRedirectURI: The redirect URI with the port that is really listened on.
  /// - Returns: The URL of the page.
  public func url(redirectingTo loopbackRedirectURI: URL) -> URL { makeURL(loopbackRedirectURI) }
}
