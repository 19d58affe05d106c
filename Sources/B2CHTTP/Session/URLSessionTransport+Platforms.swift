internal import B2CCore
internal import Foundation

#if canImport(FoundationNetworking)
  extension SessionDelegate {
    /// Returns the `401` as the response instead of waiting for credentials.
    ///
    /// If the challenge was left to the session, a `401` with `WWW-Authenticate: Basic` would wait for credentials
    /// forever. The body has already been delivered when this is called.
    func urlSession(
      _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
      completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
      complete(task, (challenge.failureResponse ?? task.response) as? HTTPURLResponse)
      Self.later { completionHandler(.cancelAuthenticationChallenge, nil) }
    }

    /// Ends a request whose reused connection was lost before the response.
    ///
    /// libcurl wants to send the request again on a new connection, and asks for the body. Without a body it would send
    /// the head alone and wait. With a body it would repeat a request that must perhaps not be repeated.
    func urlSession(
      _ session: URLSession, task: URLSessionTask,
      needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
    ) {
      abort(task, URLError(.networkConnectionLost))
      completionHandler(nil)
    }
  }

  /// A queue that runs the session's callbacks immediately, on the thread on which libcurl delivers the bytes.
  ///
  /// FoundationNetworking adds one operation for each piece of a body. If a server sends faster than the operations
  /// run, or if a small compressed body grows large, the waiting operations fill the memory before the first one can
  /// notice the limit.
  ///
  /// The session adds operations from one serial queue. The class is unchecked `Sendable` like its superclass, and has
  /// no state of its own.
  private final class ImmediateQueue: OperationQueue, @unchecked Sendable {
    override func addOperation(_ block: @escaping @Sendable () -> Void) { block() }
  }

  /// The properties in which this platform's `URLSession` differs from others.
  enum SessionTraits {
    /// The number of connections for each host, which is high because the idle timer runs while a request waits.
    static let connectionsPerHost = 64

    /// Whether the delegate may answer a redirect of a cancelled task, which here stops the process ("Received callback
    /// for HTTP redirection, but we're not waiting for it").
    static let takesLateAnswers = false

    /// Returns the proxy that libcurl uses for an origin, and the environment variable that names it.
    ///
    /// libcurl reads the variables for each request, and it reads `http_proxy` only in lower case. For plain http, only
    /// an exact host in `no_proxy` is accepted here, because a wrong guess would send a token to a proxy.
    static func proxy(of origin: Origin, in environment: (String) -> String?) -> (variable: String, host: String)? {
      func value(_ name: String) -> String? { environment(name).flatMap { $0.isEmpty ? nil : $0 } }
      let isPlain = origin.scheme == "http"
      let names = (isPlain ? ["http_proxy"] : ["https_proxy", "HTTPS_PROXY"]) + ["all_proxy", "ALL_PROXY"]
      guard let variable = names.first(where: { value($0) != nil }), let address = value(variable) else { return nil }
      let exempt = value("no_proxy") ?? value("NO_PROXY") ?? ""
      let isNamed = ASCIIText.lowercased(exempt).split { ", \t".contains($0) }.contains {
        $0 == origin.host || !isPlain && ("." + origin.host).hasSuffix("." + $0.drop { $0 == "." })
      }
      // libcurl understands `*` as "every host" only if it is the whole value, and not with spaces or commas around it.
      guard exempt != "*", !isNamed else { return nil }
      // The value may have a scheme, and a user name and password, before the host.
      let rest = address.range(of: "://").map { address[$0.upperBound...] } ?? address[...]
      return (variable, String(rest.split(separator: "@").last?.prefix { $0 != "/" } ?? ""))
    }

    /// The queue on which the session calls its delegate.
    static var delegateQueue: OperationQueue? { ImmediateQueue() }

    /// Returns libcurl's own text of an error, which is always in English.
    private static func text(of error: URLError) -> String? {
      (error.userInfo[NSUnderlyingErrorKey] as? NSError)?.userInfo[NSLocalizedDescriptionKey] as? String
    }

    /// Returns libcurl's text of an error in which a proxy did not connect the request to a server.
    static func proxyAnswer(in error: URLError) -> String? {
      let beginnings = [
        "CONNECT tunnel failed", "Received HTTP code", "Could not resolve proxy", "Proxy CONNECT aborted",
      ]
      return text(of: error).flatMap { text in beginnings.contains { text.hasPrefix($0) } ? text : nil }
    }

    /// Returns the code of an error, which is read from libcurl's own text.
    ///
    /// Foundation reports nearly all of libcurl's failures with one code, even a certificate that was refused
    /// (`CURLE_PEER_FAILED_VERIFICATION`). If one address of a host refuses a connection and another one loses it,
    /// Foundation reports a refused connection, although the request may have arrived.
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
  /// The properties in which this platform's `URLSession` differs from others.
  enum SessionTraits {
    /// The number of connections for each host, which is the system's default, because HTTP/2 shares one.
    static let connectionsPerHost = 6

    /// Whether the delegate may answer a redirect of a cancelled task, which is harmless here.
    static let takesLateAnswers = true

    /// Returns `nil`, because Apple platforms use the system's proxy settings and not the environment.
    static func proxy(of origin: Origin, in environment: (String) -> String?) -> (variable: String, host: String)? {
      nil
    }

    static func proxyAnswer(in error: URLError) -> String? { nil }

    /// The queue of the delegate, or `nil` to let the session create a serial one, for which it waits before it reads
    /// on.
    static var delegateQueue: OperationQueue? { nil }

    /// Returns the error's own code, because each failure has a different one here.
    static func code(of error: URLError) -> URLError.Code { error.code }
  }
#endif
