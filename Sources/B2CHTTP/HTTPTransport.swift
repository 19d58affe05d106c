@_exported public import B2CCore
public import Foundation

/// Sends a request and returns the server's answer.
///
/// `URLSessionTransport` is the default. An app with another network library conforms it in a few lines; tests use a canned
/// one. A transport calls ``TransportRequest/validate()`` first and keeps the request's limits. It must not follow redirects (RFC 9700 section 4.12): a `3xx` is an answer like any
/// other, because a token must not travel to another origin.
public protocol HTTPTransport: Sendable {
  /// Sends one request.
  ///
  /// - Parameter request: What to send, with the limits to keep.
  /// - Returns: The answer, whatever its status.
  /// - Throws: ``TransportError`` when there is no answer; `CancellationError` when the calling task was cancelled.
  func send(_ request: TransportRequest) async throws -> TransportResponse
}

/// A request on its way to a server, independent of the library that carries it.
public struct TransportRequest: Sendable, Hashable {
  /// The request method.
  public var method: Method
  /// The URL: https, or http to this machine.
  public var url: URL
  /// The header fields.
  public var headers: Headers
  /// The body, if any.
  public var body: Data?
  /// The time limits and the largest body of the answer.
  public var limits: TransportLimits

  /// Makes a request.
  ///
  /// - Parameters:
  ///   - method: The request method.
  ///   - url: The URL: https, or http to this machine.
  ///   - headers: The header fields.
  ///   - body: The body, if any.
  ///   - limits: The time limits and the largest body of the answer.
  public init(
    method: Method = .get, url: URL, headers: Headers = [:], body: Data? = nil,
    limits: TransportLimits = .standard
  ) {
    self.method = method
    self.url = url
    self.headers = headers
    self.body = body
    self.limits = limits
  }
}

extension TransportRequest {
  /// Method and URL without the values of its query, for messages.
  var summary: String { "\(method.rawValue) \(RedactedURL(url))" }
}

extension TransportRequest: Redacted {
  /// Method, scheme, host and path; no query values, no headers, no body.
  public var description: String {
    "\(summary) (\(headers.fields.count) headers, \(body?.count ?? 0) bytes)"
  }
}

extension TransportRequest {
  /// A request method (RFC 9110 section 9).
  public struct Method: RawRepresentable, Sendable, Hashable {
    /// The method's name on the wire, in upper case.
    public var rawValue: String

    /// Makes a method from its name on the wire.
    ///
    /// - Parameter rawValue: The name, such as `PATCH`.
    public init(rawValue: String) {
      self.rawValue = rawValue
    }

    /// `GET`.
    public static let get = Method(rawValue: "GET")
    /// `HEAD`.
    public static let head = Method(rawValue: "HEAD")
    /// `POST`.
    public static let post = Method(rawValue: "POST")
    /// `PUT`.
    public static let put = Method(rawValue: "PUT")
    /// `PATCH`.
    public static let patch = Method(rawValue: "PATCH")
    /// `DELETE`.
    public static let delete = Method(rawValue: "DELETE")
  }
}

/// The time limits of a request, and the largest body of its answer.
public struct TransportLimits: Sendable, Hashable {
  /// The largest body of an answer in bytes, after decompression.
  public var maximumBodyBytes: Int
  /// The time for the whole exchange, from sending to the last byte.
  public var deadline: Duration
  /// The longest silence on the wire.
  public var idleTimeout: Duration

  /// Makes limits.
  ///
  /// - Parameters:
  ///   - maximumBodyBytes: The largest body in bytes, after decompression; 1 MiB unless said otherwise.
  ///   - deadline: The time for the whole exchange; 30 seconds unless said otherwise.
  ///   - idleTimeout: The longest silence on the wire; 15 seconds unless said otherwise.
  public init(
    maximumBodyBytes: Int = 1 << 20, deadline: Duration = .seconds(30), idleTimeout: Duration = .seconds(15)
  ) {
    self.maximumBodyBytes = maximumBodyBytes
    self.deadline = deadline
    self.idleTimeout = idleTimeout
  }

  /// 1 MiB, 30 seconds in all, 15 seconds of silence.
  public static let standard = TransportLimits()
}

extension TransportRequest {
  /// Checks what every transport has to refuse before anything is sent.
  ///
  /// The URL must be https, or http to this machine, and lead to the same place for every reader; method, header fields
  /// and body must be such that HTTP can carry them.
  ///
  /// - Throws: ``TransportError`` with ``TransportError/Code/insecureURL`` or ``TransportError/Code/invalidRequest``.
  public func validate() throws(TransportError) {
    _ = try validatedOrigin()
  }

  /// Checks the request and returns where it goes.
  func validatedOrigin() throws(TransportError) -> Origin {
    guard let origin = Origin(url), Loopback.isAllowed(url) else {
      throw TransportError(
        .insecureURL, "The URL \(RedactedURL(url)) is neither https nor http to this machine, or has no plain host.")
    }
    guard !method.rawValue.isEmpty, method.rawValue.utf8.allSatisfy(ASCIIText.isTokenCharacter) else {
      throw TransportError(.invalidRequest, "The request's method is not one that HTTP can carry.")
    }
    // In any case of letters: Apple's systems send `get` as `GET`, and fail with a body as if the answer were too large.
    guard body == nil || !["GET", "HEAD"].contains(method.rawValue.uppercased()) else {
      throw TransportError(
        .invalidRequest, "A \(method.rawValue) request cannot carry a body.",
        recoverySuggestion: "Use another method, or put the values into the URL's query.")
    }
    for field in headers.fields {
      guard !field.name.isEmpty, field.name.utf8.allSatisfy(ASCIIText.isTokenCharacter),
        !field.value.utf8.contains(where: { $0 < 0x20 && $0 != 0x09 || $0 == 0x7F })
      else {
        throw TransportError(.invalidRequest, "The request has a header field with characters that HTTP forbids.")
      }
    }
    return origin
  }
}

/// The answer of a server.
public struct TransportResponse: Sendable, Hashable {
  /// The status code.
  public var status: Int
  /// The header fields.
  public var headers: TransportRequest.Headers
  /// The body, decompressed; empty when there is none.
  public var body: Data

  /// Makes an answer.
  ///
  /// - Parameters:
  ///   - status: The status code.
  ///   - headers: The header fields.
  ///   - body: The body.
  public init(status: Int, headers: TransportRequest.Headers = [:], body: Data = Data()) {
    self.status = status
    self.headers = headers
    self.body = body
  }
}

extension TransportResponse: Redacted {
  /// Status and size; no headers, no body.
  public var description: String { "\(status) (\(headers.fields.count) headers, \(body.count) bytes)" }
}
