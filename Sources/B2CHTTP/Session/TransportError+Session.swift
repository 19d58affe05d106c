internal import B2CCore
package import Foundation

#if canImport(FoundationNetworking)
  internal import FoundationNetworking
#endif

extension TransportError {
  /// Translates what the session reports.
  ///
  /// Only the bare code is kept of the underlying error: its details hold the whole URL.
  package init(sessionError error: any Error, url: URL?) {
    let place = url.flatMap(Origin.init)?.hostAndPort ?? "the server"
    guard let error = error as? URLError else {
      self.init(.connectionLost, "The connection to \(place) failed.")
      return
    }
    let (code, message) = Self.meaning(of: error, place)
    self.init(
      code, message, recoverySuggestion: Self.suggestion(for: error.code), underlying: URLError(error.code))
  }

  private static func suggestion(for code: URLError.Code) -> String? {
    switch code {
    // App Sandbox without this answers as if the name did not exist. Every new Mac app begins so.
    case .cannotFindHost, .dnsLookupFailed:
      "If the name is right: a Mac app with the App Sandbox needs Outgoing Connections (Client), under Signing & Capabilities."
    case .appTransportSecurityRequiresSecureConnection:
      "Use https; while developing, set NSAllowsLocalNetworking under NSAppTransportSecurity in Info.plist."
    default: nil
    }
  }

  private static func meaning(of error: URLError, _ place: String) -> (Code, String) {
    switch error.code {
    case .timedOut: (.timedOut, "\(place) sent nothing within the idle timeout.")
    case .cannotFindHost, .dnsLookupFailed: (.cannotConnect, "The host name of \(place) cannot be resolved.")
    case .cannotConnectToHost: (.cannotConnect, "Connection to \(place) refused.")
    case .notConnectedToInternet, .dataNotAllowed, .internationalRoamingOff:
      (.cannotConnect, "This device is not connected to the internet.")
    // Callbacks of a request cancelled from this side are ignored; here the whole session was invalidated.
    case .cancelled: (.closedDuringRequest, "The transport was closed during the request to \(place).")
    case .secureConnectionFailed, .serverCertificateUntrusted, .serverCertificateHasBadDate,
      .serverCertificateHasUnknownRoot, .serverCertificateNotYetValid, .clientCertificateRejected,
      .clientCertificateRequired:
      (.untrustedServer, untrusted(place))
    // The URL was checked before: what is unsupported is the language that came back.
    case .cannotParseResponse, .cannotDecodeRawData, .cannotDecodeContentData, .unsupportedURL:
      (.invalidResponse, "The answer of \(place) is not HTTP.")
    // Foundation on Linux takes no IPv6 literal; nothing was sent.
    case .badURL where place.hasPrefix("["):
      (.invalidRequest, "The system cannot open the IPv6 address \(place). Use a host name or an IPv4 address.")
    case .badURL: (.invalidRequest, "The system cannot open the URL of \(place).")
    // A body where none may be has this code too; such a request is refused before.
    case .dataLengthExceedsMaximum: (.responseTooLarge, "The answer of \(place) is larger than the system allows.")
    case .appTransportSecurityRequiresSecureConnection:
      (.insecureURL, "App Transport Security refuses http to \(place).")
    case _ where SessionTraits.isCertificateRefusal(error): (.untrustedServer, untrusted(place))
    default: (.connectionLost, "The connection to \(place) was lost before the answer was complete.")
    }
  }

  private static func untrusted(_ place: String) -> String {
    "No secure connection to \(place): its certificate is not trusted."
  }
}
