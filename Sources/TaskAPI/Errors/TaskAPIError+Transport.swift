extension TaskAPIError {
  /// What it means for a call that there is no answer.
  init(_ error: TransportError, _ operation: TaskOperation) {
    let (code, message): (Code, String) =
      switch error.code {
      case .timedOut: (.timedOut, "The task server did not answer in time.")
      case .responseTooLarge: (.tooLarge, "The task server's answer is larger than the limit.")
      case .invalidResponse: (.invalidResponse, "The task server's answer is not HTTP.")
      case .invalidRequest: (.invalidConfiguration, "The system does not take the request's URL.")
      case .insecureURL: (.invalidConfiguration, "The URL is neither https nor http to this machine.")
      case .cannotConnect: (.network, "The task server cannot be reached.")
      case .untrustedServer: (.network, "The task server's certificate was refused.")
      case .closed: (.network, "The transport was closed before the request.")
      default: (.network, "The connection broke before the answer was whole.")
      }
    let certainlyUnsent: [TransportError.Code] = [
      .insecureURL, .invalidRequest, .cannotConnect, .untrustedServer, .closed,
    ]
    self.init(
      code, message,
      recoverySuggestion: code == .tooLarge ? "Raise limits.maximumBodyBytes, or have the server give less." : nil,
      outcomeIsUnknown: operation.isChange && !certainlyUnsent.contains(error.code), underlying: error)
  }
}
