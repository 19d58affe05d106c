package import B2CCore
package import Foundation

extension ConnectorError {
  /// Creates the error of a request without a response, as the only place that interprets `URLError`.
  ///
  /// - Parameters:
  ///   - error: The transport's error. Only its code is kept, because its details contain the whole URL.
  ///   - request: The request.
  ///   - limits: The limits of the request.
  package init(_ error: URLError, _ request: URLRequest, _ limits: TransportLimits) {
    let proxy = error.userInfo[URLError.proxyKey] as? String
    let proxyAnswer = (error.userInfo[URLError.proxyAnswerKey] as? String).map { " libcurl said: \($0)." } ?? ""
    let place = (request.url.flatMap { Origin($0) }?.hostAndPort ?? "the server") + (proxy ?? "")
    // Returns the code, the words that follow the place, and advice if trying again does not help.
    func fault(_ code: ErrorCode, _ words: String, _ advice: String? = nil) -> (ErrorCode, String, String?) {
      (code, words, advice)
    }
    let (code, words, advice) =
      switch error.code {
      case .timedOut:
        fault(.timedOut, "\(place) was silent for \(limits.idleTimeout), or took more than \(limits.deadline) in all.")
      // A Mac app in the App Sandbox (every new one is) gets this error for any host if the network entitlement is
      // missing.
      case .cannotFindHost, .dnsLookupFailed:
        fault(
          .network, "The host name of \(place) cannot be resolved.",
          "Check the connection, then try again. A Mac app with the App Sandbox also needs Outgoing Connections (Client), under Signing & Capabilities."
        )
      case .cannotConnectToHost: fault(.network, "\(place) refused the connection.")
      case .notConnectedToInternet, .dataNotAllowed, .internationalRoamingOff:
        fault(.network, "This device is not connected to the internet.")
      case .cancelled: fault(.network, "The transport cancelled the request to \(place).")
      case .secureConnectionFailed:
        fault(
          .network, "The server at \(place) did not answer with TLS, or refused the handshake.",
          "Check the scheme and the port of the address, because https needs a server that speaks TLS.")
      case _ where error.isOfTLS:
        fault(.network, "The TLS handshake with \(place) failed, or its certificate is not trusted.")
      // The URL itself was checked before sending, so here "unsupported" means that the response is not HTTP.
      case .cannotParseResponse, .cannotDecodeRawData, .cannotDecodeContentData, .unsupportedURL:
        fault(.invalidResponse, "The response of \(place) is not HTTP.")
      // Foundation on Linux cannot open a URL with an IPv6 address, so nothing was sent.
      case .badURL where place.hasPrefix("["):
        fault(
          .configuration, "The system cannot open the IPv6 address \(place).", "Use a host name or an IPv4 address.")
      case .badURL: fault(.configuration, "The system cannot open the URL of \(place).")
      // Foundation also uses this code for a body in a GET request, but such a request was refused before sending.
      case .dataLengthExceedsMaximum:
        fault(
          .tooLarge, "is larger than the \(limits.maximumBodyBytes) bytes that are allowed.",
          "Raise `maximumBodyBytes` in the limits, or let the server send less.")
      case .appTransportSecurityRequiresSecureConnection:
        fault(
          .configuration, "App Transport Security refuses http to \(place).",
          "Use https. While you develop, set NSAllowsLocalNetworking under NSAppTransportSecurity in Info.plist.")
      default: fault(.network, "The connection to \(place) was lost before the response was complete.")
      }
    let isRetryable = code.isRetryable && !error.isOfTLS && error.code != .cancelled
    let again = isRetryable ? "Check the connection\(proxy == nil ? "" : " and the proxy"), then try again." : nil
    self.init(
      own: code, "No response to \(request.summary): \(words)\(proxyAnswer)", recoverySuggestion: advice ?? again,
      isRetryable: isRetryable, underlying: URLError(error.code))
    if code == .tooLarge { message = "The response to \(request.summary) \(words)" }
    self = about(request)
  }
}

extension URLError {
  /// The keys of the user info that name the proxy of a failed request and contain libcurl's text about it.
  package static let proxyKey = "B2CHTTP.proxy"
  package static let proxyAnswerKey = "B2CHTTP.proxyAnswer"

  /// Whether it is certain that no server has received the request.
  var isBeforeSending: Bool {
    let codes: [Code] = [
      .cannotFindHost, .dnsLookupFailed, .cannotConnectToHost, .notConnectedToInternet, .dataNotAllowed,
      .internationalRoamingOff, .badURL, .appTransportSecurityRequiresSecureConnection,
    ]
    return isOfTLS || codes.contains(code)
  }

  /// Whether the TLS handshake or a certificate failed.
  fileprivate var isOfTLS: Bool {
    (Code.clientCertificateRequired.rawValue...Code.secureConnectionFailed.rawValue).contains(code.rawValue)
  }
}

extension ErrorCode {
  /// Creates the code for a status that means the same for every request, because the server is busy or has failed.
  ///
  /// The result is `nil` for any other status, whose meaning depends on the request.
  ///
  /// - Parameter status: The HTTP status of the response.
  package init?(temporaryStatus status: Int) {
    switch status {
    case 408: self = .timedOut
    case 429: self = .throttled
    case 500..<600: self = .serviceUnavailable
    default: return nil
    }
  }
}

extension ConnectorError {
  /// Adds the details of an API's response, which are its status, error code, description, request id and wait.
  ///
  /// - Parameters:
  ///   - body: The body of the response.
  ///   - response: The head of the response.
  ///   - secrets: The tokens that were sent, which are hidden if the response repeats them.
  package mutating func add(_ body: Data, _ response: HTTPURLResponse, hiding secrets: [Secret]) {
    status = response.statusCode
    retryAfter = RetryAfter.seconds(in: response)
    let text = PrintableText(hiding: secrets)
    let ids = ["x-request-id", "request-id"].lazy.compactMap { response.value(forHTTPHeaderField: $0) }
    if let id = ids.first.flatMap(text.limited(to: 100).show) {
      correlationID = UUID(uuidString: id)
      message += " The server's id of the request is \(id)."
    }
    // The body of a success does not describe an error, and a large body is probably data and takes long to parse.
    guard !(200..<300).contains(response.statusCode), body.count <= 65_536, let fields = try? JSONReader.object(body)
    else { return }
    // APIs name these fields differently: restify has `code` and `message`, OAuth `error` and `error_description`,
    // Microsoft Graph an `error` object, and RFC 9457 `title` and `detail`.
    let inner = fields["error"]?.object ?? [:]
    let codes = [inner["code"], fields["code"], fields["error"]]
    let words = [inner["message"]] + ["message", "error_description", "detail", "title"].map { fields[$0] }
    serverCode = codes.lazy.compactMap(Self.text).first.flatMap(text.limited(to: 100).show)
    serverDescription = words.lazy.compactMap(Self.text).first.flatMap(text.show)
  }

  private static func text(_ value: JSONValue?) -> String? {
    value?.string ?? value.flatMap { $0.double == nil ? nil : "\($0)" }
  }
}
