package import B2CCore
package import B2CHTTP
package import B2CTestKit
package import Foundation

/// A transport that returns prepared results in turn, and keeps the requests.
package final class CannedTransport: HTTPTransport {
  package typealias Outcome = Result<LocalResponse, any Error>

  private struct State {
    var outcomes: [Outcome]
    var requests: [URLRequest] = []
    var limits: [TransportLimits] = []
  }

  private let state: Locked<State>
  private let advance: @Sendable () -> Void

  /// Creates a transport, of which each request takes some time on a clock.
  package init(_ outcomes: [Outcome], each duration: Duration = .zero, on clock: LeapingClock = LeapingClock()) {
    state = Locked(State(outcomes: outcomes))
    advance = { clock.advance(by: duration) }
  }

  package convenience init(_ responses: LocalResponse...) { self.init(responses.map { .success($0) }) }

  package convenience init(statuses first: Int, _ others: Int...) {
    self.init(([first] + others).map { .success(LocalResponse(status: $0)) })
  }

  package var requests: [URLRequest] { state.withLock { $0.requests } }
  package var authorizations: [String?] { requests.map { $0.value(forHTTPHeaderField: "Authorization") } }
  package var limits: [TransportLimits] { state.withLock { $0.limits } }
  package var unused: Int { state.withLock { $0.outcomes.count } }

  package func send(_ request: URLRequest, limits: TransportLimits) async throws -> (Data, HTTPURLResponse) {
    advance()
    let outcome = state.withLock { state -> Outcome in
      state.requests.append(request)
      state.limits.append(limits)
      guard !state.outcomes.isEmpty else {
        return .failure(ConnectorError(own: .configuration, "No result was prepared for this request."))
      }
      return state.outcomes.removeFirst()
    }
    return try outcome.get().answer(to: request.url)
  }
}

extension HTTPTransport {
  /// Sends a request and returns the answer as a value.
  package func answer(to request: URLRequest, limits: TransportLimits = .standard) async throws -> LocalResponse {
    LocalResponse(try await send(request, limits: limits))
  }
}

/// The transports of the package, which note what their tries may have done.
package protocol NotingTransport: Sendable {
  func send(
    _ request: URLRequest, limits: TransportLimits, isIdempotent: Bool?, noting history: inout RequestHistory
  ) async throws -> (Data, HTTPURLResponse)
}

extension RetryingTransport: NotingTransport {}
extension AuthorizedTransport: NotingTransport {}

extension NotingTransport {
  /// Sends a request and returns the answer as a value.
  package func answer(to request: URLRequest, limits: TransportLimits = .standard) async throws -> LocalResponse {
    var history = RequestHistory()
    return LocalResponse(try await send(request, limits: limits, isIdempotent: nil, noting: &history))
  }
}

extension LocalResponse {
  package init(_ answer: (Data, HTTPURLResponse)) {
    let fields = answer.1.allHeaderFields.compactMap { name, value in
      (name as? String).flatMap { name in (value as? String).map { (name, $0) } }
    }
    self.init(status: answer.1.statusCode, headers: Dictionary(fields) { first, _ in first }, body: answer.0)
  }

  /// A header field by its name in small letters: Foundation writes some names its own way.
  package func header(_ name: String) -> String? { headers.first { $0.key.lowercased() == name }?.value }
}

extension URLRequest {
  package var path: String { url?.path ?? "" }
}

/// A provider of the tokens `token-1`, `token-2` and so on, or of given ones: the next one for each that is refused.
package final class CannedTokens: Sendable {
  private let tokens: [String]
  private let state = Locked<(number: Int, asked: [Secret?])>((1, []))

  package init(_ tokens: String...) { self.tokens = tokens }

  /// The tokens that the provider was asked to replace, in order; `nil` for a first try.
  package var asked: [Secret?] { state.withLock { $0.asked } }

  /// The provider as the transport takes it.
  package var source: BearerTokens { { self.token(replacing: $0) } }

  private func token(replacing refused: BearerToken?) -> BearerToken {
    state.withLock { state in
      state.asked.append(refused?.token)
      if refused?.token.value == token(state.number) { state.number += 1 }
      return (Secret(token(state.number)), "alice")
    }
  }

  /// The last of the given tokens serves for ever.
  private func token(_ number: Int) -> String {
    tokens.isEmpty ? "token-\(number)" : tokens[min(number, tokens.count) - 1]
  }
}
