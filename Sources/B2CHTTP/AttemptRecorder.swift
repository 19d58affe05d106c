internal import B2CCore

/// A transport that records the tries of one call; it goes under a ``RetryingTransport``.
package final class AttemptRecorder: HTTPTransport {
  private struct Record {
    var attempts = 0
    var outcomeIsUnknown = false
    var bearerTokens: [Secret] = []
    var hasFailedOtherwise = false
  }

  private let transport: any HTTPTransport
  private let record = Locked(Record())

  /// Makes a recorder of what a transport sends.
  package init(_ transport: any HTTPTransport) {
    self.transport = transport
  }

  /// The number of requests so far.
  package var attempts: Int { record.withLock { $0.attempts } }

  /// Whether the server may have carried out a request that changes something although it did not succeed.
  package var outcomeIsUnknown: Bool { record.withLock { $0.outcomeIsUnknown } }

  /// Whether an app's transport has thrown an error of its own.
  package var hasFailedOtherwise: Bool { record.withLock { $0.hasFailedOtherwise } }

  /// The access tokens that were sent, which no error may show.
  package var bearerTokens: [Secret] { record.withLock { $0.bearerTokens } }

  /// Records and sends a request.
  ///
  /// - Parameter request: What to send.
  /// - Returns: The answer, which keeps the request's limit of bytes.
  /// - Throws: ``TransportError``, also with `responseTooLarge` for an answer over the limit, which an app's own transport
  ///   may let pass; `CancellationError`.
  package func send(_ request: TransportRequest) async throws -> TransportResponse {
    record.withLock { record in
      record.attempts += 1
      if let field = request.headers["Authorization"], field.hasPrefix("Bearer ") {
        record.bearerTokens.append(Secret(String(field.dropFirst(7))))
      }
    }
    do {
      let response = try await transport.send(request)
      if response.leavesOutcomeUnknown { noteUnknownOutcome(of: request) }
      let limit = request.limits.maximumBodyBytes
      guard response.body.count <= limit else {
        throw TransportError(.responseTooLarge, "The answer is larger than the \(limit) bytes that are allowed.")
      }
      return response
    } catch {
      // What an app's transport throws by other types says nothing of whether the request arrived.
      if (error as? TransportError)?.leavesOutcomeUnknown != false { noteUnknownOutcome(of: request) }
      if !(error is TransportError), !(error is CancellationError) { record.withLock { $0.hasFailedOtherwise = true } }
      throw error
    }
  }

  private func noteUnknownOutcome(of request: TransportRequest) {
    guard request.mayChangeSomething else { return }
    record.withLock { $0.outcomeIsUnknown = true }
  }
}

extension TransportRequest {
  /// Whether it may change something at the server: any method but the safe `GET`, `HEAD` and `OPTIONS` (RFC 9110 section
  /// 9.2.1).
  package var mayChangeSomething: Bool { !["GET", "HEAD", "OPTIONS"].contains(method.rawValue) }
}

extension TransportError {
  /// Whether the server may have carried the request out: it may have arrived, and no answer says what came of it.
  fileprivate var leavesOutcomeUnknown: Bool {
    ![.insecureURL, .invalidRequest, .cannotConnect, .untrustedServer, .closed].contains(code)
  }
}

extension TransportResponse {
  /// Whether the server, or a gateway before it, may have carried the request out although it reports a failure.
  ///
  /// A redirect may follow a change that was made (RFC 9110 section 15.4.4).
  fileprivate var leavesOutcomeUnknown: Bool {
    [301, 302, 303, 408].contains(status) || (status >= 500 && ![501, 505].contains(status))
  }
}
