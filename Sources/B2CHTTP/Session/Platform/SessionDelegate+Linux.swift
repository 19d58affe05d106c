#if canImport(FoundationNetworking)
  internal import Foundation
  internal import FoundationNetworking

  /// No check of the app's own: certificates are verified by libcurl, which asks nobody.
  typealias TrustEvaluation = Never

  extension SessionDelegate {
    /// Takes the refused answer as the result.
    ///
    /// A challenge that is left to the session never ends here: `401` with `WWW-Authenticate: Basic` would wait for
    /// credentials for ever. The body has been delivered before.
    func urlSession(
      _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
      completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
      forget(task)?.complete(ResponseHead(challenge.failureResponse ?? task.response), nil)
      completionHandler(.cancelAuthenticationChallenge, nil)
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
        TransportError(.connectionLost, "The connection broke before the answer was whole."))
      completionHandler(nil)
    }
  }

  /// What this platform's session does differently.
  enum SessionTraits {
    /// The idle timer runs while a request waits for a free connection, so the waiting is done before the session.
    static let countsWaitingAsSilence = true
  }
#endif
