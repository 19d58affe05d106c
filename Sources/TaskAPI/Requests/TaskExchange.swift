internal import Foundation

/// Sends requests with a token, and lets only a success through.
struct TaskExchange: Sendable {
  private let transport: AuthorizedTransport
  private let tokens: RememberedTokens
  private let now: @Sendable () -> Date

  init(
    _ configuration: TaskAPIConfiguration, transport: any HTTPTransport, tokens: any AccessTokenProvider,
    clock: any Clock<Duration>, now: @escaping @Sendable () -> Date, random: @escaping @Sendable () -> Double,
    retryBudget: RetryBudget?
  ) {
    self.tokens = RememberedTokens(tokens)
    self.now = now
    self.transport = AuthorizedTransport(
      transport: transport, tokens: self.tokens,
      allowedOrigins: Set([Origin(configuration.baseURL.absoluteURL)].compactMap { $0 }), retry: configuration.retry,
      budget: retryBudget, clock: clock, now: now, random: random)
  }

  /// The answer to a request, its status one of the 200s.
  func response(to request: TransportRequest, _ operation: TaskOperation) async throws -> TransportResponse {
    let response: TransportResponse
    do {
      response = try await transport.send(request, isIdempotent: operation.isIdempotent)
      try request.limits.check(response.body.count)
    } catch let error as TransportError {
      throw TaskAPIError(error, operation)
    } catch let error as APIAuthorizationError {
      throw errors(operation).unauthorized(error)
    }
    guard (200..<300).contains(response.status) else { throw errors(operation).refusal(response) }
    return response
  }

  func errors(_ operation: TaskOperation) -> AnswerErrors {
    AnswerErrors(operation: operation, secrets: tokens.tokens, now: now())
  }
}

extension TransportLimits {
  /// An app's own transport may not keep the limit.
  fileprivate func check(_ count: Int) throws(TransportError) {
    guard count > maximumBodyBytes else { return }
    throw TransportError(.responseTooLarge, "The answer is larger than the \(maximumBodyBytes) bytes that are allowed.")
  }
}
