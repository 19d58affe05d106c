package import Foundation

/// What of the system's sign-in sheet is needed, so that all but the system's own part can be tried without it.
@MainActor
package protocol WebAuthenticationSession: AnyObject, Sendable {
  /// Shows the sheet; the completion is called at most once, on any thread.
  ///
  /// - Returns: Whether the sheet could be shown.
  func start(_ completion: @escaping @Sendable (WebAuthenticationOutcome) -> Void) -> Bool

  /// Takes the sheet away; whether the completion is called then is open.
  func cancel()
}

/// How a sheet ended.
package enum WebAuthenticationOutcome: Sendable {
  /// It reached the redirect.
  case callback(URL)
  /// The user closed it.
  case closed
  /// The system ended it, for a reason in words.
  case failed(String)
}

/// What a sheet shows and what it waits for.
package struct WebAuthenticationPage: Sendable {
  /// Where the sheet ends.
  package enum Callback: Sendable, Hashable {
    /// Any URL of a scheme.
    case customScheme(String)
    /// Any https URL of a host and a path.
    case https(host: String, path: String)
  }

  /// The URL of the page.
  package let url: URL
  /// Where the sheet ends.
  package let callback: Callback
  /// Whether the sheet shares no cookies with the browser.
  package let isEphemeral: Bool
}
