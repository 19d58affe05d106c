internal import B2CCore
internal import Foundation

#if canImport(FoundationNetworking)
  internal import FoundationNetworking
#endif

/// Forwards the session's callbacks to their exchanges; follows no redirect.
final class SessionDelegate: NSObject, URLSessionDataDelegate, Sendable {
  private let exchanges = Locked<[Int: SessionExchange]>([:])
  private let isClosed = Locked(false)

  func register(_ exchange: SessionExchange, for task: URLSessionTask) {
    exchanges.withLock { $0[task.taskIdentifier] = exchange }
  }

  /// Answers no redirect any more; to be called before the session is invalidated, which cancels all tasks.
  func close() {
    isClosed.withLock { $0 = true }
  }

  @discardableResult
  func forget(_ task: URLSessionTask) -> SessionExchange? {
    exchanges.withLock { $0.removeValue(forKey: task.taskIdentifier) }
  }

  /// A redirect is an answer like any other: following it would carry the token, and every other header field, along.
  func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) {
    // Under the lock: a cancellation removes the task first, so this answer comes before it or not at all.
    isClosed.withLock { isClosed in
      exchanges.withLock { exchanges in
        let isWanted = exchanges[task.taskIdentifier] != nil && !isClosed
        if isWanted || SessionTraits.takesLateAnswers { completionHandler(nil) }
      }
    }
  }

  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
  ) {
    if let head = response as? HTTPURLResponse { exchange(of: dataTask)?.receive(head) }
    completionHandler(.allow)
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    exchange(of: dataTask)?.receive(data)
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    forget(task)?.complete(
      task.response as? HTTPURLResponse,
      error.map { TransportError(sessionError: $0, url: task.originalRequest?.url) })
  }

  func exchange(of task: URLSessionTask) -> SessionExchange? {
    exchanges.withLock { $0[task.taskIdentifier] }
  }
}
