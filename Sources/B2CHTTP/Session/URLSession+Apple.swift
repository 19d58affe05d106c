#if !canImport(FoundationNetworking)
  internal import B2CCore
  internal import Foundation

  /// The differences of this platform's session.
  enum SessionTraits {
    /// The system's own number: HTTP/2 carries many requests on one connection.
    static let connectionsPerHost = 6

    /// An answer to a callback of a cancelled task does no harm.
    static let takesLateAnswers = true

    /// Refuses nothing: the system's proxy settings count here, not the environment.
    static func checkProxy(of origin: Origin, in environment: [String: String]) throws(ConnectorError) {}

    /// The session makes a serial queue by itself, and waits for it before it reads on.
    static func makeDelegateQueue() -> OperationQueue? { nil }

    /// Each error has its own code here.
    static func code(of error: URLError) -> URLError.Code { error.code }
  }
#endif
