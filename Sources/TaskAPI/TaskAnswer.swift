internal import B2CCore
internal import Foundation

/// A response of the task server.
struct TaskAnswer: Sendable {
  let body: Data
  let response: HTTPURLResponse

  var status: Int { response.statusCode }

  /// Whether the body is plain text.
  ///
  /// Some servers answer a successful change with a word like "OK" instead of JSON.
  var isPlainText: Bool {
    let type = ASCIIText.lowercased(response.value(forHTTPHeaderField: "Content-Type") ?? "")
    return type.utf8.starts(with: "text/plain".utf8)
  }

  /// Returns the body, read as strict JSON.
  ///
  /// Surplus combining marks are cut instead of refused, so that one strange task does not make the list unreadable.
  func json() throws -> JSONValue {
    do {
      return try JSONReader.value(body, cutsMarks: true)
    } catch {
      throw UnreadableAnswer(
        reason: "the response \(error)", suggestion: "Check the base URL. A proxy or a page may have answered.")
    }
  }
}

extension TaskRequest {
  /// Returns the error for a status that is not a success, from the only table of statuses for tasks.
  func refusal(_ answer: TaskAnswer, _ history: RequestHistory) -> ConnectorError {
    let status = answer.status
    let (code, reason, suggestion): (ErrorCode, String?, String?) =
      switch status {
      case 300..<400: (.invalidResponse, "a redirect, which is not followed", "Use the final URL as the base URL.")
      case 403: (.forbidden, "the user is not allowed to do this", nil)
      case 404 where namesID, 410 where namesID:
        (.notFound, "the task does not exist, or the server does not support \(action)", alternative)
      case 404, 410: (.notFound, "nothing exists at this URL", "Check the path of the base URL.")
      case 405, 501: (.unsupported, "it does not support \(action)", alternative)
      case 408: (.timedOut, "the request took too long", nil)
      case 409:
        (
          .conflict, "the request conflicts with its state or lacks a field",
          "If the code is MissingTask, choose the other dialect."
        )
      case 413: (.tooLarge, "the request is too large", "Shorten the task's title.")
      case 429: (.throttled, "too many requests", "Wait, then try again.")
      case 400..<500: (.server, nil, nil)
      case 500..<600: (.serviceUnavailable, nil, nil)
      default: (.invalidResponse, "the status is unknown", nil)
      }
    let failed = message.summary
    var error = ConnectorError(
      own: code,
      reason.map { "The server answered \(status) to \(failed): \($0)." } ?? "\(failed) failed with status \(status).",
      recoverySuggestion: suggestion)
    // A higher status, for example 505 (the HTTP version is not supported), is not a temporary failure.
    if status > 504 { error.isRetryable = false }
    return named(error, answer, history)
  }

  /// Returns the error for a success that cannot be read, after which the server may have carried out the request.
  func unreadable(_ answer: TaskAnswer, _ unreadable: UnreadableAnswer, _ history: RequestHistory) -> ConnectorError {
    var error = ConnectorError(
      own: .invalidResponse, "The server answered \(answer.status) to \(message.summary): \(unreadable.reason).",
      recoverySuggestion: unreadable.suggestion)
    error.outcomeIsUnknown = message.mayChangeSomething
    return named(error, answer, history)
  }

  private func named(_ error: ConnectorError, _ answer: TaskAnswer, _ history: RequestHistory) -> ConnectorError {
    var named = error.about(message)
    named.outcomeIsUnknown = error.outcomeIsUnknown || history.outcomeIsUnknown
    named.add(answer.body, answer.response, hiding: history.bearerTokens)
    return named
  }
}
