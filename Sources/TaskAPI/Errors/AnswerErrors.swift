internal import Foundation

/// Makes errors from what a server answered.
struct AnswerErrors: Sendable {
  let operation: TaskOperation
  /// The tokens that no error may show.
  let secrets: [Secret]
  /// The wall time, for a `Retry-After` that is a date.
  let now: Date

  /// The error for a status that is no success.
  func refusal(_ response: TransportResponse) -> TaskAPIError {
    let (code, message, suggestion) = Self.meaning(of: response.status, operation)
    var error = TaskAPIError(code, message, recoverySuggestion: suggestion)
    // The server, or a proxy before it, may have failed after the change.
    error.outcomeIsUnknown = operation.isChange && [408, 500, 502, 503, 504].contains(response.status)
    fill(&error, from: response)
    return error
  }

  /// The error for a token that the server does not accept.
  func unauthorized(_ failure: APIAuthorizationError) -> TaskAPIError {
    let code: TaskAPIError.Code =
      switch failure.code {
      case .insufficientScope: .insufficientScope
      case .claimsRequired: .claimsRequired
      case .originNotAllowed: .invalidConfiguration
      default: .unauthorized
      }
    // The message tells the scope that the server names, which may be anything.
    var error = TaskAPIError(
      code, shown(failure.message, 500) ?? "", recoverySuggestion: failure.recoverySuggestion, underlying: failure)
    if let response = failure.response { fill(&error, from: response) }
    return error
  }

  /// The error for a success that cannot be read.
  func unreadable(_ response: TransportResponse, _ reason: String) -> TaskAPIError {
    var error = TaskAPIError(
      .invalidResponse, "The task server's answer to \(operation.name) \(reason).",
      recoverySuggestion: "Check the base URL; a proxy or a sign-in page may have answered.")
    error.outcomeIsUnknown = operation.isChange
    fill(&error, from: response, showsCode: false)
    return error
  }

  private func fill(_ error: inout TaskAPIError, from response: TransportResponse, showsCode: Bool = true) {
    error.status = response.status
    error.retryAfter = RetryAfter.seconds(in: response.headers, now: now)
    error.excerpt = ServerText(hiding: secrets).show(response.body)
    error.requestID = Self.requestID(in: response.headers).flatMap { shown($0, 100) }
    guard showsCode, response.body.count <= ServerErrorBody.maximumBytes,
      let said = try? JSONDecoder().decode(ServerErrorBody.self, from: response.body)
    else { return }
    error.serverCode = said.code.flatMap { shown($0, 100) }
    error.serverMessage = said.message.flatMap { shown($0, 200) }
    error.requestID = error.requestID ?? said.requestID.flatMap { shown($0, 100) }
  }

  private func shown(_ text: String, _ limit: Int) -> String? {
    ServerText(hiding: secrets, limit: limit).show(Array(text.utf8))
  }

  private static func requestID(in headers: HTTPHeaders) -> String? {
    ["x-request-id", "request-id", "x-ms-request-id", "x-correlation-id", "client-request-id"].lazy
      .compactMap { headers[$0] }.first
  }

  private static func meaning(
    of status: Int, _ operation: TaskOperation
  ) -> (code: TaskAPIError.Code, message: String, suggestion: String?) {
    switch status {
    case 300..<400:
      (
        .redirected, "The task server wants the request sent elsewhere; a token does not follow.",
        "Give the final URL as the base URL."
      )
    case 401:
      (.unauthorized, "The task server refused the token.", "Check the scope and the API's audience and issuer.")
    case 403: (.forbidden, "The user may not do this.", nil)
    case 404, 410:
      (
        .notFound, "The task server has nothing at this URL.",
        operation == .list || operation == .add
          ? "Check the base URL's path." : "The task may be gone, or the server has no such call."
      )
    case 405, 501:
      (
        .unsupported, "The task server cannot \(operation.name) this way.",
        operation == .delete
          ? "Choose another deletion in the configuration." : "The tutorial's servers can list, add and delete only."
      )
    case 408: (.timedOut, "The task server waited too long for the request.", nil)
    case 409:
      (
        .conflict, "The task server finds the request in conflict with what it has or expects.",
        "With the server's code MissingTask, choose the other dialect."
      )
    case 413: (.tooLarge, "The task server finds the request too large.", "Shorten the task's text.")
    case 429: (.throttled, "The task server takes no more requests for now.", "Wait, then try again.")
    case 500..<600: (.server, "The task server has trouble.", nil)
    case 400..<500: (.refused, "The task server refused the request.", nil)
    default: (.invalidResponse, "The task server answered with a status that means nothing here.", nil)
    }
  }
}
