package import B2CCore
package import Foundation

extension ConnectorError {
  /// Makes the error of a request to which no answer came: the one place where `URLError` is understood.
  ///
  /// - Parameters:
  ///   - error: The transport's error; only its code is kept, since its details hold the whole URL.
  ///   - request: The request.
  ///   - limits: The limits of the request.
  package init(_ error: URLError, _ request: URLRequest, _ limits: TransportLimits) {
    let proxy = error.userInfo[URLError.proxyKey] as? String
    let proxyAnswer = (error.userInfo[URLError.proxyAnswerKey] as? String).map { " libcurl said: \($0)." } ?? ""
    let place = (request.url.flatMap { Origin($0) }?.hostAndPort ?? "the server") + (proxy ?? "")
    // The code, the words that follow the place, and the advice if another try alone does not help.
    func fault(_ code: ErrorCode, _ words: String, _ advice: String? = nil) -> (ErrorCode, String, String?) {
      (code, words, advice)
    }
    let (code, words, advice) =
      switch error.code {
      case .timedOut:
        fault(.timedOut, "\(place) was silent for \(limits.idleTimeout), or took more than \(limits.deadline) in all.")
      // App Sandbox without this answers as if the name did not exist. Every new Mac app begins so.
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
      // The URL was checked before: what is unsupported is the language that came back.
      case .cannotParseResponse, .cannotDecodeRawData, .cannotDecodeContentData, .unsupportedURL:
        fault(.invalidResponse, "The response of \(place) is not HTTP.")
      // Foundation on Linux takes no IPv6 literal; nothing was sent.
      case .badURL where place.hasPrefix("["):
        fault(
          .configuration, "The system cannot open the IPv6 address \(place).", "Use a host name or an IPv4 address.")
      case .badURL: fault(.configuration, "The system cannot open the URL of \(place).")
      // A body where none may be has this code too; such a request is refused before.
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
  /// The user info of an error of a request that went to a proxy: where it went, and libcurl's words.
  static let proxyKey = "B2CHTTP.proxy"
  static let proxyAnswerKey = "B2CHTTP.proxyAnswer"

  /// Whether certainly no server has seen the request.
  var isBeforeSending: Bool {
    let codes: [Code] = [
      .cannotFindHost, .dnsLookupFailed, .cannotConnectToHost, .notConnectedToInternet, .dataNotAllowed,
      .internationalRoamingOff, .badURL, .appTransportSecurityRequiresSecureConnection,
    ]
    return isOfTLS || codes.contains(code)
  }

  /// Whether the secure connection or a certificate failed.
  fileprivate var isOfTLS: Bool {
    (Code.clientCertificateRequired.rawValue...Code.secureConnectionFailed.rawValue).contains(code.rawValue)
  }
}

extension ErrorCode {
  /// The code of a status that means the same in every answer: the server is busy or fails, whatever was asked of it.
  ///
  /// It is `nil` for any other status, whose meaning depends on the request. Metadata, tokens, userinfo and tasks use it.
  ///
  /// - Parameter status: The HTTP status of the answer.
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
  /// Adds what an API's answer says: its status, the server's code, words and id of the request, and how long to wait.
  ///
  /// - Parameters:
  ///   - body: The answer's body.
  ///   - response: The answer's head.
  ///   - secrets: The tokens that were sent; one that the API repeats is hidden.
  package mutating func add(_ body: Data, _ response: HTTPURLResponse, hiding secrets: [Secret]) {
    status = response.statusCode
    retryAfter = RetryAfter.seconds(in: response)
    let text = PrintableText(hiding: secrets)
    let ids = ["x-request-id", "request-id"].lazy.compactMap { response.value(forHTTPHeaderField: $0) }
    if let id = ids.first.flatMap(text.limited(to: 100).show) {
      correlationID = UUID(uuidString: id)
      message += " The server's id of the request is \(id)."
    }
    // A success has no words about a failure, and a large body is not searched for them.
    guard !(200..<300).contains(response.statusCode), body.count <= 65_536, let fields = try? JSONReader.object(body)
    else { return }
    // restify's `code` and `message`, OAuth's `error` and `error_description`, Microsoft Graph's `error` object, and
    // RFC 9457's `title` and `detail`.
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
