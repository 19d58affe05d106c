internal import Foundation

#if canImport(FoundationNetworking)
  internal import FoundationNetworking
#endif

extension TransportError {
  /// Translates what the session reports.
  ///
  /// Only the bare code is kept of the underlying error: its details hold the whole URL.
  init(sessionError error: any Error, url: URL?) {
    let place = url.flatMap(Origin.init)?.hostAndPort ?? "the server"
    guard let error = error as? URLError else {
      self.init(.connectionLost, "The connection to \(place) failed.")
      return
    }
    let (code, message) = Self.meaning(of: error, place)
    self.init(code, message, underlying: URLError(error.code))
  }

  private static func meaning(of error: URLError, _ place: String) -> (Code, String) {
    switch error.code {
    case .timedOut: (.timedOut, "\(place) sent nothing within the idle timeout.")
    case .cannotFindHost, .dnsLookupFailed: (.cannotConnect, "The host name of \(place) cannot be resolved.")
    case .cannotConnectToHost: (.cannotConnect, "Connection to \(place) refused.")
    case .notConnectedToInternet, .dataNotAllowed, .internationalRoamingOff:
      (.cannotConnect, "This device is not connected to the internet.")
    // A request that this side has cancelled is no longer listened to; here the whole session was.
    case .cancelled: (.closed, "The transport was closed during the request.")
    case .secureConnectionFailed, .serverCertificateUntrusted, .serverCertificateHasBadDate,
      .serverCertificateHasUnknownRoot, .serverCertificateNotYetValid, .clientCertificateRejected,
      .clientCertificateRequired:
      (.untrustedServer, untrusted(place))
    // The URL was checked before: what is unsupported is the language that came back.
    case .cannotParseResponse, .cannotDecodeRawData, .cannotDecodeContentData, .unsupportedURL:
      (.invalidResponse, "The answer of \(place) is not HTTP.")
    case .dataLengthExceedsMaximum: (.responseTooLarge, "The answer of \(place) is larger than the system allows.")
    case _ where SessionTraits.isCertificateRefusal(error): (.untrustedServer, untrusted(place))
    default: (.connectionLost, "The connection to \(place) was lost before the answer was complete.")
    }
  }

  private static func untrusted(_ place: String) -> String {
    "No secure connection to \(place): its certificate is not trusted."
  }
}
