internal import B2CCore
internal import Foundation

#if canImport(FoundationNetworking)
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

    /// The proxy that libcurl uses for an origin, and the variable that names it.
    ///
    /// libcurl reads the variables for each request, and of `http_proxy` only the one in lower case. For plain http, which
    /// a wrong guess would give to a proxy, only the host itself in `no_proxy` counts.
    static func proxy(of origin: Origin, in environment: (String) -> String?) -> (variable: String, host: String)? {
      func value(_ name: String) -> String? { environment(name).flatMap { $0.isEmpty ? nil : $0 } }
      let isPlain = origin.scheme == "http"
      let names = (isPlain ? ["http_proxy"] : ["https_proxy", "HTTPS_PROXY"]) + ["all_proxy", "ALL_PROXY"]
      guard let variable = names.first(where: { value($0) != nil }), let address = value(variable) else { return nil }
      let exempt = value("no_proxy") ?? value("NO_PROXY") ?? ""
      let isNamed = ASCIIText.lowercased(exempt).split { ", \t".contains($0) }.contains {
        $0 == origin.host || !isPlain && ("." + origin.host).hasSuffix("." + $0.drop { $0 == "." })
      }
      // libcurl takes `*` for every host only if it is the whole text: neither " *" nor "*,".
      guard exempt != "*", !isNamed else { return nil }
      // A scheme may come before the host, and a user name with a password.
      let rest = address.range(of: "://").map { address[$0.upperBound...] } ?? address[...]
      return (variable, String(rest.split(separator: "@").last?.prefix { $0 != "/" } ?? ""))
    }

    /// The queue that calls the delegate.
    static var delegateQueue: OperationQueue? { ImmediateQueue() }

    /// libcurl's own text about an error; it is not translated.
    private static func text(of error: URLError) -> String? {
      (error.userInfo[NSUnderlyingErrorKey] as? NSError)?.userInfo[NSLocalizedDescriptionKey] as? String
    }

    /// libcurl's words about a proxy that let a request through to no server.
    static func proxyAnswer(in error: URLError) -> String? {
      let beginnings = [
        "CONNECT tunnel failed", "Received HTTP code", "Could not resolve proxy", "Proxy CONNECT aborted",
      ]
      return text(of: error).flatMap { text in beginnings.contains { text.hasPrefix($0) } ? text : nil }
    }

    /// The meaning of libcurl's own text about an error.
    ///
    /// All failures but the commonest come as one code, also a refused certificate (`CURLE_PEER_FAILED_VERIFICATION`). And a
    /// lost connection comes as a refused one where another address of the host has refused before: the request may have
    /// arrived.
    static func code(of error: URLError) -> URLError.Code {
      guard let text = text(of: error) else { return error.code }
      let begins = { (beginnings: String...) in beginnings.contains { text.hasPrefix($0) } }
      if begins("SSL certificate problem", "SSL: ", "SSL peer certificate") { return .serverCertificateUntrusted }
      if text.contains("SSL routines"), !text.contains("unexpected eof") { return .secureConnectionFailed }
      if proxyAnswer(in: error) != nil { return .cannotConnectToHost }
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

    /// The system's proxy settings count here, not the environment.
    static func proxy(of origin: Origin, in environment: (String) -> String?) -> (variable: String, host: String)? {
      nil
    }

    static func proxyAnswer(in error: URLError) -> String? { nil }

    /// The session makes a serial queue by itself, and waits for it before it reads on.
    static var delegateQueue: OperationQueue? { nil }

    /// Each error has its own code here.
    static func code(of error: URLError) -> URLError.Code { error.code }
  }
#endif
