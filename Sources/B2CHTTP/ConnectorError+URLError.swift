package import B2CCore
package import Foundation

#if canImport(FoundationNetworking)
  package import FoundationNetworking
#endif

extension ConnectorError {
  /// Makes the error of a request to which no answer came: the one place where `URLError` is understood.
  ///
  /// - Parameters:
  ///   - error: The transport's error; only its code is kept, since its details hold the whole URL.
  ///   - request: The request.
  ///   - limits: The limits of the request.
  package init(_ error: URLError, _ request: URLRequest, _ limits: TransportLimits) {
    let place = request.url.flatMap(Origin.init)?.hostAndPort ?? "the server"
    let (code, words, advice) = Self.meaning(of: error, at: place, limits)
    let reason =
      code == .tooLarge
      ? "The answer to \(request.summary) is larger than the \(limits.maximumBodyBytes) bytes that are allowed."
      : "No answer to \(request.summary): \(words)"
    let isRetryable = code.isRetryable && !error.isOfCertificate && error.code != .cancelled
    let suggestions = [isRetryable ? "Check the connection, then try again." : nil, advice].compactMap(\.self)
    self.init(
      own: code, reason, recoverySuggestion: suggestions.isEmpty ? nil : suggestions.joined(separator: " "),
      isRetryable: isRetryable, underlying: URLError(error.code))
    if let url = request.url { self = about(url, method: request.method) }
  }

  /// What an error means, in which words, and what helps beside another try.
  private static func meaning(
    of error: URLError, at place: String, _ limits: TransportLimits
  ) -> (ErrorCode, words: String, advice: String?) {
    switch error.code {
    case .timedOut:
      (.timedOut, "\(place) was silent for \(limits.idleTimeout), or took longer than \(limits.deadline) in all.", nil)
    // App Sandbox without this answers as if the name did not exist. Every new Mac app begins so.
    case .cannotFindHost, .dnsLookupFailed:
      (
        .network, "The host name of \(place) cannot be resolved.",
        "If the name is right: a Mac app with the App Sandbox needs Outgoing Connections (Client), under Signing & Capabilities."
      )
    case .cannotConnectToHost: (.network, "Connection to \(place) refused.", nil)
    case .notConnectedToInternet, .dataNotAllowed, .internationalRoamingOff:
      (.network, "This device is not connected to the internet.", nil)
    case .cancelled: (.network, "The transport cancelled the request to \(place).", nil)
    case .secureConnectionFailed: (.network, "The secure connection to \(place) could not be made.", nil)
    case _ where error.isOfCertificate:
      (.network, "No secure connection to \(place): its certificate is not trusted.", nil)
    // The URL was checked before: what is unsupported is the language that came back.
    case .cannotParseResponse, .cannotDecodeRawData, .cannotDecodeContentData, .unsupportedURL:
      (.invalidResponse, "The answer of \(place) is not HTTP.", nil)
    // Foundation on Linux takes no IPv6 literal; nothing was sent.
    case .badURL where place.hasPrefix("["):
      (.configuration, "The system cannot open the IPv6 address \(place).", "Use a host name or an IPv4 address.")
    case .badURL: (.configuration, "The system cannot open the URL of \(place).", nil)
    // A body where none may be has this code too; such a request is refused before.
    case .dataLengthExceedsMaximum:
      (.tooLarge, "", "Raise maximumBodyBytes of the limits, or let the server send less.")
    case .appTransportSecurityRequiresSecureConnection:
      (
        .configuration, "App Transport Security refuses http to \(place).",
        "Use https; while developing, set NSAllowsLocalNetworking under NSAppTransportSecurity in Info.plist."
      )
    default: (.network, "The connection to \(place) was lost before the answer was complete.", nil)
    }
  }
}

extension URLError {
  /// Whether certainly no server has seen the request.
  var isBeforeSending: Bool {
    let codes: [Code] = [
      .cannotFindHost, .dnsLookupFailed, .cannotConnectToHost, .notConnectedToInternet, .dataNotAllowed,
      .internationalRoamingOff, .badURL, .appTransportSecurityRequiresSecureConnection,
    ]
    return isOfCertificate || codes.contains(code)
  }

  fileprivate var isOfCertificate: Bool {
    let codes: [Code] = [
      .secureConnectionFailed, .serverCertificateUntrusted, .serverCertificateHasBadDate,
      .serverCertificateHasUnknownRoot, .serverCertificateNotYetValid, .clientCertificateRejected,
      .clientCertificateRequired,
    ]
    return codes.contains(code)
  }
}
