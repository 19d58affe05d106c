internal import B2CCore
internal import Foundation

/// The kind of a redirect URI, which decides which presenter can receive the callback.
enum RedirectKind: Hashable {
  /// `http` to this machine (RFC 8252 section 7.3).
  case loopback
  /// The scheme of an app: a private one (RFC 8252 section 7.1), or one that other apps may claim too.
  case appScheme(String)
  /// An `https` URL that the system passes to the app that claims it (RFC 8252 section 7.2).
  case https
  /// A URI that no callback may use: `http` to another machine, a fragment, user-info, no scheme or `urn:`.
  case unusable

  init(_ url: URL) {
    let host = url.host?.lowercased() ?? ""
    let name = host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host
    self =
      switch url.scheme?.lowercased() {
      case _ where url.fragment != nil || url.user != nil: .unusable
      // Other addresses of 127.0.0.0/8 belong to this machine too, but no listener is bound to them.
      case "http": RedirectURIRules.listenerHosts.contains(name) ? .loopback : .unusable
      // A listener has no certificate for this machine, and no app can claim its names.
      case "https": host.isEmpty || Loopback.isLoopback(host: host) ? .unusable : .https
      case let scheme? where !RedirectURIRules.foreignSchemes.contains(scheme): .appScheme(scheme)
      default: .unusable
      }
  }

  /// The advice for a presenter that cannot receive a redirect URI of this kind.
  var advice: String {
    switch self {
    case .loopback: "Use LoopbackPresenter."
    case .appScheme(let scheme):
      "Use WebAuthenticationPresenter on Apple platforms, or ExternalBrowserPresenter."
        + (RedirectURIRules.isPrivateUse(scheme: scheme)
          ? "" : " A scheme with a dot, for example com.example.app, is safer (RFC 8252 section 7.1).")
    case .https:
      "Use WebAuthenticationPresenter from iOS 17.4 and macOS 14.4 on, or ExternalBrowserPresenter if the app claims it"
        + " as a universal link."
    case .unusable:
      "No presenter can receive it. Register http://localhost:<port> for LoopbackPresenter, or a scheme of the app,"
        + " for example com.example.app:/callback."
    }
  }
}

extension RedirectKind {
  /// Returns the error of a presenter that cannot receive a redirect URI.
  static func mismatch(_ redirectURI: URL, presenter: String) -> ConnectorError {
    ConnectorError(
      own: .unsupportedRedirectURI, "\(presenter) cannot receive the redirect URI \(redirectURI.redacted).",
      recoverySuggestion: RedirectKind(redirectURI).advice)
  }
}
