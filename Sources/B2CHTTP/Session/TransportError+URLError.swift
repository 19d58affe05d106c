internal import Foundation

#if canImport(FoundationNetworking)
  internal import FoundationNetworking
#endif

extension TransportError {
  /// Translates what the session reports.
  ///
  /// Only the bare code is kept of the underlying error: its details hold the whole URL.
  init(sessionError error: any Error) {
    guard let error = error as? URLError else {
      self.init(.connectionLost, "The connection failed.")
      return
    }
    let (code, message) = Self.meaning(of: error)
    self.init(code, message, underlying: URLError(error.code))
  }

  private static func meaning(of error: URLError) -> (Code, String) {
    switch error.code {
    case .timedOut: (.timedOut, "The server was silent for too long.")
    case .cannotFindHost, .dnsLookupFailed: (.cannotConnect, "The server's name could not be resolved.")
    case .cannotConnectToHost: (.cannotConnect, "The server does not take connections.")
    case .notConnectedToInternet, .dataNotAllowed, .internationalRoamingOff:
      (.cannotConnect, "This device is not connected to the internet.")
    // A request that this side has cancelled is no longer listened to; here the whole session was.
    case .cancelled: (.closed, "The transport was closed while the request was under way.")
    case .secureConnectionFailed, .serverCertificateUntrusted, .serverCertificateHasBadDate,
      .serverCertificateHasUnknownRoot, .serverCertificateNotYetValid, .clientCertificateRejected,
      .clientCertificateRequired:
      (.untrustedServer, "No secure connection: the server's certificate was refused.")
    // The URL was checked before: what is unsupported is the language that came back.
    case .cannotParseResponse, .cannotDecodeRawData, .cannotDecodeContentData, .unsupportedURL:
      (.invalidResponse, "The answer is not readable as HTTP.")
    case .dataLengthExceedsMaximum: (.responseTooLarge, "The answer is larger than the system takes.")
    default: unnamed(error)
    }
  }

  /// libcurl's failures beyond the commonest come as one code; its text tells a certificate from a broken line.
  private static func unnamed(_ error: URLError) -> (Code, String) {
    let text = error.localizedDescription.lowercased()
    return text.contains("certificate") || text.contains("ssl peer")
      ? (.untrustedServer, "No secure connection: the server's certificate was refused.")
      : (.connectionLost, "The connection broke before the answer was whole.")
  }
}
