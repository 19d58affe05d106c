internal import B2CCore
internal import Foundation

#if canImport(FoundationNetworking)
  internal import FoundationNetworking

  extension SessionDelegate {
    /// Uses the refused answer as the result.
    ///
    /// A challenge that is left to the session never ends here: `401` with `WWW-Authenticate: Basic` would wait for
    /// credentials for ever. The body has been delivered before.
    func urlSession(
      _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
      completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
      complete(task, (challenge.failureResponse ?? task.response) as? HTTPURLResponse)
      Self.later { completionHandler(.cancelAuthenticationChallenge, nil) }
    }

    /// Ends a request whose kept connection was lost before the answer.
    ///
    /// libcurl would send it again on a new connection and asks for the body anew. Without one it sends the head alone and
    /// waits; with one, a request that must not be repeated would be.
    func urlSession(
      _ session: URLSession, task: URLSessionTask,
      needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
    ) {
      abort(task, URLError(.networkConnectionLost))
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
    /// The idle timer runs while a request waits for a free connection: with many, it waits for a short time only.
    static let connectionsPerHost = 64

    /// The answer about a redirect ends the process when the task was cancelled before it ("Received callback for HTTP
    /// redirection, but we're not waiting for it").
    static let takesLateAnswers = false

    /// Refuses plain http to this machine that libcurl would send through a proxy, bearer token and all.
    ///
    /// libcurl reads these variables for each request: the lower-case `http_proxy` only. What `no_proxy` says by suffixes
    /// and ranges is not looked at, since its versions differ there.
    static func checkProxy(of origin: Origin, in environment: [String: String]) throws(ConnectorError) {
      let value = { (name: String) in environment[name].flatMap { $0.isEmpty ? nil : $0 } }
      guard let variable = ["http_proxy", "all_proxy", "ALL_PROXY"].first(where: { value($0) != nil }) else { return }
      let exempt = (value("no_proxy") ?? value("NO_PROXY") ?? "").lowercased().split { $0 == "," || $0 == " " }
      guard exempt != ["*"], !exempt.contains(where: { $0 == origin.host }) else { return }
      throw ConnectorError(
        own: .configuration, "\(variable) would send plain http to \(origin.hostAndPort) through a proxy.",
        recoverySuggestion: "Add \(origin.host) to no_proxy, or set no_proxy=localhost,127.0.0.1,::1.")
    }

    /// Where the delegate is called.
    static var delegateQueue: OperationQueue? { ImmediateQueue() }

    /// What libcurl's own text says of an error; it is not translated, and is in the error below the reported error.
    ///
    /// All failures but the commonest come as one code, also a refused certificate (`CURLE_PEER_FAILED_VERIFICATION`). And a
    /// lost connection comes as a refused one where another address of the host has refused before: the request may have
    /// arrived.
    static func code(of error: URLError) -> URLError.Code {
      let cause = error.userInfo[NSUnderlyingErrorKey] as? NSError
      guard let text = cause?.userInfo[NSLocalizedDescriptionKey] as? String else { return error.code }
      let begins = { (beginnings: String...) in beginnings.contains { text.hasPrefix($0) } }
      if begins("SSL certificate problem", "SSL: ", "SSL peer certificate") { return .serverCertificateUntrusted }
      return error.code == .cannotConnectToHost && !begins("Failed to connect", "Couldn't connect", "Could not connect")
        ? .networkConnectionLost : error.code
    }
  }
#else
  /// The differences of this platform's session.
  enum SessionTraits {
    /// The system's own number: HTTP/2 carries many requests on one connection.
    static let connectionsPerHost = 6

    /// An answer to a callback of a cancelled task does no harm.
    static let takesLateAnswers = true

    /// Refuses nothing: the system's proxy settings count here, not the environment.
    static func checkProxy(of origin: Origin, in environment: [String: String]) throws(ConnectorError) {}

    /// The session makes a serial queue by itself, and waits for it before it reads on.
    static var delegateQueue: OperationQueue? { nil }

    /// Each error has its own code here.
    static func code(of error: URLError) -> URLError.Code { error.code }
  }
#endif
