#if canImport(FoundationNetworking)
  internal import Foundation
  internal import FoundationNetworking

  /// No pinning: libcurl verifies certificates and calls no delegate.
  typealias TrustEvaluation = Never

  extension SessionDelegate {
    /// Uses the refused answer as the result.
    ///
    /// A challenge that is left to the session never ends here: `401` with `WWW-Authenticate: Basic` would wait for
    /// credentials for ever. The body has been delivered before.
    func urlSession(
      _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
      completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
      forget(task)?.complete(SessionExchange.Head(challenge.failureResponse ?? task.response), nil)
      SessionExchange.Link.later { completionHandler(.cancelAuthenticationChallenge, nil) }
    }

    /// Ends a request whose kept connection was lost before the answer.
    ///
    /// libcurl would send it again on a new connection and asks for the body anew. Without one it sends the head alone and
    /// waits; with one, a request that must not be repeated would be.
    func urlSession(
      _ session: URLSession, task: URLSessionTask,
      needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
    ) {
      exchange(of: task)?.fail(
        TransportError(.connectionLost, "The connection was lost before the answer was complete."))
      completionHandler(nil)
    }
  }

  /// Runs the session's callbacks where libcurl delivers the bytes.
  ///
  /// FoundationNetworking makes one operation for each piece of a body. When a server sends faster than the operations
  /// run, or a small compressed body grows large, they fill the memory before the first of them reaches the limit.
  ///
  /// The session calls it from one serial queue. `OperationQueue` claims to be unchecked for its own state; a subclass has
  /// to restate that and adds none.
  private final class ImmediateQueue: OperationQueue, @unchecked Sendable {
    override func addOperation(_ block: @escaping @Sendable () -> Void) { block() }
  }

  /// The differences of this platform's session.
  enum SessionTraits {
    /// The idle timer runs while a request waits for a free connection, so the waiting is done before the session.
    static let countsWaitingAsSilence = true

    /// The answer about a redirect ends the process when the task was cancelled before it ("Received callback for HTTP
    /// redirection, but we're not waiting for it").
    static let takesLateAnswers = false

    /// Where the delegate is called.
    static func makeDelegateQueue() -> OperationQueue? {
      let queue = ImmediateQueue()
      queue.maxConcurrentOperationCount = 1
      return queue
    }

    /// Whether libcurl refused the server's certificate.
    ///
    /// All failures but the commonest come as one code. libcurl's own text, which is not translated, is in the error below the
    /// reported error; it begins so for its code 60 (`CURLE_PEER_FAILED_VERIFICATION`).
    static func isCertificateRefusal(_ error: URLError) -> Bool {
      let cause = error.userInfo[NSUnderlyingErrorKey] as? NSError
      guard let text = cause?.userInfo[NSLocalizedDescriptionKey] as? String else { return false }
      return ["SSL certificate problem", "SSL: ", "SSL peer certificate"].contains { text.hasPrefix($0) }
    }
  }
#endif
