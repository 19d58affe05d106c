internal import B2CCore
internal import Foundation

#if canImport(FoundationNetworking)
  internal import FoundationNetworking
#endif

/// Hands what the session reports to the exchange that it belongs to; follows no redirect.
final class SessionDelegate: NSObject, URLSessionDataDelegate, Sendable {
  /// The app's own check of a server's certificate, where the platform lets it have one.
  let trust: TrustEvaluation?

  private let exchanges = Locked<[Int: any Exchange]>([:])

  init(trust: TrustEvaluation? = nil) {
    self.trust = trust
  }

  func register(_ exchange: any Exchange, for task: URLSessionTask) {
    exchanges.withLock { $0[task.taskIdentifier] = exchange }
  }

  @discardableResult
  func forget(_ task: URLSessionTask) -> (any Exchange)? {
    exchanges.withLock { $0.removeValue(forKey: task.taskIdentifier) }
  }

  /// A redirect is an answer like any other: following it would carry the token, and every other header field, along.
  func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) {
    completionHandler(nil)
  }

  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
  ) {
    if let head = ResponseHead(response) {
      exchange(of: dataTask)?.receive(head)
    }
    completionHandler(.allow)
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    exchange(of: dataTask)?.receive(data)
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    forget(task)?.complete(
      ResponseHead(task.response), error.map { TransportError(sessionError: $0, url: task.originalRequest?.url) })
  }

  func exchange(of task: URLSessionTask) -> (any Exchange)? {
    exchanges.withLock { $0[task.taskIdentifier] }
  }
}
