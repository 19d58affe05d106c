#if canImport(Security) && !canImport(FoundationNetworking)
  internal import Foundation
  public import Security

  /// Decides on a server's certificate chain, for a host; runs after the system's own check has passed.
  typealias TrustEvaluation = @Sendable (SecTrust, String) -> Bool

  extension SessionDelegate {
    /// Asks the app about the server's certificate, if it wants to be asked; everything else is left to the system.
    func urlSession(
      _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
      completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
      let space = challenge.protectionSpace
      guard let trust, space.authenticationMethod == NSURLAuthenticationMethodServerTrust else {
        completionHandler(.performDefaultHandling, nil)
        return
      }
      guard let chain = space.serverTrust, SecTrustEvaluateWithError(chain, nil), trust(chain, space.host) else {
        forget(task)?.complete(
          nil, TransportError(.untrustedServer, "The certificate of \(space.host) is not one that the app accepts."))
        completionHandler(.cancelAuthenticationChallenge, nil)
        return
      }
      completionHandler(.useCredential, URLCredential(trust: chain))
    }
  }

  /// The differences of this platform's session.
  enum SessionTraits {
    /// The session queues by itself, and HTTP/2 carries many requests on one connection.
    static let countsWaitingAsSilence = false

    /// An answer to a callback of a cancelled task does no harm.
    static let takesLateAnswers = true

    /// The session makes a serial queue by itself, and waits for it before it reads on.
    static func makeDelegateQueue() -> OperationQueue? { nil }

    /// Certificate errors have separate codes here.
    static func isCertificateRefusal(_ error: URLError) -> Bool { false }
  }

  extension URLSessionTransport {
    /// Makes a transport that also asks the app about each server's certificate: certificate pinning.
    ///
    /// The system's own check comes first and cannot be switched off; a server that it refuses never gets here.
    ///
    /// - Parameters:
    ///   - maximumConnectionsPerHost: The most connections to one host at a time.
    ///   - clock: The clock that deadlines run on.
    ///   - acceptsTrust: Says whether the server's certificate chain, already found valid, is one that the app expects
    ///     of the host. It runs on a queue of the session, once for each new connection.
    public convenience init(
      maximumConnectionsPerHost: Int = 6, clock: any Clock<Duration> = ContinuousClock(),
      acceptsTrust: @escaping @Sendable (_ trust: SecTrust, _ host: String) -> Bool
    ) {
      self.init(
        maximumConnectionsPerHost: maximumConnectionsPerHost, clock: clock,
        delegate: SessionDelegate(trust: acceptsTrust))
    }
  }
#endif
