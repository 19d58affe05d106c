internal import B2CCore
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

  package convenience init(_ responses: LocalResponse...) {
    self.init(responses.map { .success($0) })
  }

  package convenience init(statuses first: Int, _ others: Int...) {
    self.init(([first] + others).map { .success(LocalResponse(status: $0)) })
  }

  /// The requests so far.
  package var requests: [URLRequest] { state.withLock { $0.requests } }
  /// The `Authorization` fields of the requests so far.
  package var authorizations: [String?] { requests.map { $0.value(forHTTPHeaderField: "Authorization") } }
  /// The limits of the requests so far.
  package var limits: [TransportLimits] { state.withLock { $0.limits } }
  /// The number of results that nobody has asked for.
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
  /// Takes what a transport returns.
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
  /// The path of its URL.
  package var path: String { url?.path ?? "" }
}
