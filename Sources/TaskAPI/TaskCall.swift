internal import B2CCore
internal import Foundation

/// One call with all its tries, and the errors that it can end in.
struct TaskCall {
  private let request: TaskRequest
  private let client: TaskAPIClient
  private var history = RequestHistory()

  init(_ request: TaskRequest, _ client: TaskAPIClient) {
    self.request = request
    self.client = client
  }

  /// Whether a try that failed may have changed something.
  var mayHaveTakenEffect: Bool { history.outcomeIsUnknown }

  /// Sends the request with a token, again where that is allowed; only a success returns.
  mutating func answer() async throws -> TransportResponse {
    let authorized = AuthorizedTransport(
      transport: client.transport, tokens: client.tokens, allowedOrigins: client.origins,
      retry: client.configuration.retry, clock: client.clock, now: client.now)
    do {
      let response = try await authorized.send(
        request.message, isIdempotent: request.isIdempotent, noting: &history)
      guard (200..<300).contains(response.status) else { throw refusal(response) }
      return response
    } catch {
      // Whatever a transport of the app throws then.
      if Task.isCancelled { throw CancellationError() }
      switch error {
      case let error as TransportError: throw failure(error)
      case let error as APIAuthorizationError: throw unauthorized(error)
      case is CancellationError: throw error
      case _ where mayHaveTakenEffect && !(error is TaskAPIError): throw failedOtherwise(error)
      default: throw error
      }
    }
  }
}

// MARK: - Reading answers

extension TaskCall {
  /// Reads a success as strict JSON.
  func read<Value>(
    _ answer: TransportResponse, _ value: (JSONValue) throws(UnreadableAnswer) -> Value
  ) throws(TaskAPIError) -> Value {
    do throws(UnreadableAnswer) {
      return try value(Self.json(answer.body))
    } catch {
      var failure = self.error(
        .invalidResponse, status: answer.status, because: "the answer \(error.reason)",
        suggestion: "Check the base URL; a proxy or a sign-in page may have answered.")
      // The server succeeded, so it may have done what was asked.
      failure.outcomeIsUnknown = request.message.mayChangeSomething
      fill(&failure, from: answer, showsCode: false)
      throw failure
    }
  }

  /// Whether a server says in plain words that it succeeded.
  static func isPlainText(_ answer: TransportResponse) -> Bool {
    answer.headers["Content-Type"]?.lowercased().hasPrefix("text/plain") == true
  }

  private static func json(_ body: Data) throws(UnreadableAnswer) -> JSONValue {
    do throws(InvalidJSON) {
      return try JSONReader.value(body)
    } catch {
      let isSpace: (UInt8) -> Bool = { [0x20, 0x09, 0x0A, 0x0D].contains($0) }
      switch body.first(where: { !isSpace($0) }) {
      case nil: throw UnreadableAnswer(reason: "is empty")
      case UInt8(ascii: "<"): throw UnreadableAnswer(reason: "is HTML or XML instead of JSON")
      default: throw UnreadableAnswer(reason: "is not valid JSON: it \(error)")
      }
    }
  }
}

// MARK: - Errors

extension TaskCall {
  /// A status that is not a success.
  private func refusal(_ response: TransportResponse) -> TaskAPIError {
    let (code, reason, suggestion) = meaning(of: response.status)
    var error = error(code, status: response.status, because: reason, suggestion: suggestion)
    fill(&error, from: response)
    return error
  }

  /// A token that the server does not accept.
  private func unauthorized(_ failure: APIAuthorizationError) -> TaskAPIError {
    let code: ErrorCode =
      switch failure.code {
      case .insufficientScope: .insufficientScope
      case .claimsRequired: .claimsRequired
      case .originNotAllowed: .invalidConfiguration
      default: .unauthorized
      }
    var error = error(code, status: failure.status, because: nil, suggestion: failure.recoverySuggestion)
    // Its message has the scope that the server names, which may be anything.
    if let reason = shown(failure.message, 500) { error.message += " " + ErrorText.sentence(reason) }
    error.underlying = failure
    error.scope = failure.scope.flatMap { shown($0, 500) }
    error.claims = failure.claims
    if let response = failure.response { fill(&error, from: response) }
    return error
  }

  /// An error of the app's transport, or no token for another try, after one that may have changed something: only this
  /// error can say so.
  private func failedOtherwise(_ failure: any Error) -> TaskAPIError {
    var error = error(
      .other, status: nil, because: "a try may have been carried out, and then \(type(of: failure)) was thrown",
      suggestion: nil)
    error.underlying = failure
    return error
  }

  /// No answer.
  private func failure(_ failure: TransportError) -> TaskAPIError {
    let (code, reason): (ErrorCode, String?) =
      switch failure.code {
      case .timedOut: (.timedOut, "there was no answer in time")
      case .responseTooLarge: (.tooLarge, "the answer is larger than the limit")
      case .invalidResponse: (.invalidResponse, "the answer is not HTTP")
      case .insecureURL, .invalidRequest: (.invalidConfiguration, nil)
      case .cannotConnect: (.network, "the server cannot be reached")
      case .untrustedServer: (.network, "the server's certificate was refused")
      case .closed: (.network, "the transport was closed before")
      case .closedDuringRequest: (.network, "the transport was closed during the request")
      default: (.network, "the connection was lost before the answer was complete")
      }
    var error = error(
      code, status: nil, because: reason,
      suggestion: code == .tooLarge
        ? "Raise maximumBodyBytes of the task limits, or let the server send less."
        : failure.recoverySuggestion.flatMap { shown($0, 500) })
    // The transport says what keeps it from sending such a request.
    if reason == nil, let words = shown(failure.message, 500) { error.message += " " + ErrorText.sentence(words) }
    error.underlying = failure
    return error
  }

  /// An error that names method, URL without query, and status.
  private func error(
    _ code: ErrorCode, status: Int?, because reason: String?, suggestion: String?
  ) -> TaskAPIError {
    let name = "\(request.message.method.rawValue) \(RedactedURL(request.message.url).withoutQuery)"
    let message =
      switch (status, reason) {
      case (let status?, let reason?): "The server answered \(status) to \(name): \(reason)."
      case (let status?, nil): "\(name) failed with status \(status)."
      case (nil, let reason?): "\(name) failed: \(reason)."
      case (nil, nil): "\(name) failed."
      }
    var error = TaskAPIError(code, message, recoverySuggestion: suggestion, status: status)
    error.outcomeIsUnknown = mayHaveTakenEffect
    error.method = request.message.method.rawValue
    error.url = RedactedURL(request.message.url).withoutQuery
    return error
  }

  private func shown(_ text: String, _ limit: Int) -> String? {
    PrintableText(hiding: history.bearerTokens, limit: limit).show(Array(text.utf8))
  }

  /// Adds what the server said.
  private func fill(_ error: inout TaskAPIError, from response: TransportResponse, showsCode: Bool = true) {
    error.retryAfter = RetryAfter.seconds(in: response.headers, now: client.now())
    error.excerpt = PrintableText(hiding: history.bearerTokens).show(response.body)
    error.requestID = (response.headers["x-request-id"] ?? response.headers["request-id"]).flatMap { shown($0, 100) }
    guard showsCode, let said = ServerErrorBody(response.body) else { return }
    error.serverCode = said.code.flatMap { shown($0, 100) }
    error.serverMessage = said.message.flatMap { shown($0, 200) }
  }

  private func meaning(of status: Int) -> (code: ErrorCode, reason: String?, suggestion: String?) {
    switch status {
    case 300..<400: (.redirected, "a redirect, which is not followed", "Use the final URL as the base URL.")
    case 401: (.unauthorized, nil, "Check the scope, and the API's audience and issuer.")
    case 403: (.forbidden, "the user is not allowed to do this", nil)
    case 404, 410: missing
    case 405, 501: (.unsupported, "it does not support \(action)", alternative)
    case 409:
      (
        .conflict, "the request conflicts with its state or lacks a field",
        "With the code MissingTask, choose the other dialect."
      )
    case 413: (.tooLarge, "the request is too large", "Shorten the task's title.")
    default:
      switch ErrorCode(temporaryStatus: status) {
      case .timedOut?: (.timedOut, "it waited too long for the request", nil)
      case .throttled?: (.throttled, "too many requests", "Wait, then try again.")
      case let code?: (code, nil, nil)
      case nil where (400..<500).contains(status): (.refused, nil, nil)
      case nil: (.invalidResponse, "the status is not known", nil)
      }
    }
  }

  private var missing: (code: ErrorCode, reason: String?, suggestion: String?) {
    request.namesID
      ? (.notFound, "the task does not exist, or the server does not support \(action)", alternative)
      : (.notFound, "nothing exists at this URL", "Check the path of the base URL.")
  }

  private var action: String {
    switch request.operation {
    case .list: "lists"
    case .add: "adding tasks"
    case .update: "updates"
    case .delete: request.namesID ? "deletion by id" : "deletion by title"
    }
  }

  private var alternative: String? {
    switch request.operation {
    case .list, .add: "Check the path of the base URL."
    case .update: "The servers of the tutorial can list, add and delete only."
    case .delete: "Choose the dialect that fits the server: .rest deletes by id, the others by title."
    }
  }
}

/// The code and message in the body of a refusal: restify's `code` and `message`, OAuth's `error` and
/// `error_description`, Microsoft Graph's `error` object, and RFC 9457's `title` and `detail`.
private struct ServerErrorBody {
  /// A larger body is not searched for a code.
  private static let maximumBytes = 65_536

  let code: String?
  let message: String?

  init?(_ body: Data) {
    guard body.count <= Self.maximumBytes, let fields = try? JSONReader.object(body) else { return nil }
    let inner = fields["error"]?.object ?? [:]
    code = Self.text(inner["code"]) ?? Self.text(fields["code"]) ?? Self.text(fields["error"])
    message =
      Self.text(inner["message"])
      ?? ["message", "error_description", "detail", "title"].lazy.compactMap { Self.text(fields[$0]) }.first
  }

  private static func text(_ value: JSONValue?) -> String? {
    switch value {
    case .string(let text)?: text
    case .integer(let number)?: String(number)
    default: nil
    }
  }
}
