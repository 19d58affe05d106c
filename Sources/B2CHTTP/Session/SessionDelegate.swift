internal import B2CCore
internal import Dispatch
internal import Foundation

#if canImport(FoundationNetworking)
  internal import FoundationNetworking
#endif

/// The exchanges of a session: collects each answer, bounds it while it arrives, and follows no redirect.
final class SessionDelegate: NSObject, URLSessionDataDelegate, Sendable {
  typealias Answer = (Data, HTTPURLResponse)

  /// One request under way.
  private struct Exchange {
    let continuation: CheckedContinuation<Answer, any Error>
    let maximumBytes: Int
    var head: HTTPURLResponse?
    var body = Data()

    /// Adds a piece of the body in place; `false` for one too many.
    mutating func append(_ data: Data) -> Bool {
      guard body.count + data.count <= maximumBytes else { return false }
      body.append(data)
      return true
    }
  }

  /// Cancelling takes the task's lock, so it must not happen where another lock may be held, such as in a cancellation
  /// handler or a callback: on Linux that can block the whole session.
  private static let queue = DispatchQueue(label: "B2CHTTP.cancellation")

  /// Runs what takes the session's locks, outside of its callbacks.
  static func later(_ action: @escaping @Sendable () -> Void) { queue.async(execute: action) }

  private let exchanges = Locked<[Int: Exchange]>([:])

  /// Runs a task; when the calling task is cancelled, returns at once.
  func answer(to task: URLSessionDataTask, maximumBytes: Int) async throws -> Answer {
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        exchanges.withLock {
          $0[task.taskIdentifier] = Exchange(continuation: continuation, maximumBytes: maximumBytes)
        }
        // A cancellation before this found no exchange to end.
        guard !Task.isCancelled else { return abort(task, CancellationError()) }
        task.resume()
      }
    } onCancel: {
      abort(task, CancellationError())
    }
  }

  /// Ends an exchange from this side, at once; later callbacks of the session are ignored.
  func abort(_ task: URLSessionTask, _ error: any Error) {
    end(task) { _ in .failure(error) }
    Self.later { task.cancel() }
  }

  /// Ends an exchange with what has arrived, and the head where it was not given before.
  func complete(_ task: URLSessionTask, _ head: HTTPURLResponse?, _ error: (any Error)? = nil) {
    end(task) { exchange in
      if let error { return .failure(Self.bare(error)) }
      guard let head = exchange.head ?? head else { return .failure(URLError(.cannotParseResponse)) }
      return .success((exchange.body, head))
    }
  }

  private func end(_ task: URLSessionTask, _ outcome: (Exchange) -> Result<Answer, any Error>) {
    guard let exchange = exchanges.withLock({ $0.removeValue(forKey: task.taskIdentifier) }) else { return }
    exchange.continuation.resume(with: outcome(exchange))
  }

  /// Only the code: the details of the session's error hold the whole URL.
  private static func bare(_ error: any Error) -> URLError {
    URLError((error as? URLError).map(SessionTraits.code) ?? .networkConnectionLost)
  }

  /// A redirect is an answer like any other: following it would carry the token, and every other header field, along.
  func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) {
    // Under the lock: a cancellation removes the exchange first, so this answer comes before it or not at all.
    exchanges.withLock { exchanges in
      if exchanges[task.taskIdentifier] != nil || SessionTraits.takesLateAnswers { completionHandler(nil) }
    }
  }

  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
  ) {
    exchanges.withLock { $0[dataTask.taskIdentifier]?.head = response as? HTTPURLResponse }
    completionHandler(.allow)
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    let fits = exchanges.withLock { exchanges in exchanges[dataTask.taskIdentifier]?.append(data) }
    if fits == false { abort(dataTask, URLError(.dataLengthExceedsMaximum)) }
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    complete(task, task.response as? HTTPURLResponse, error)
  }
}
