@_exported public import B2CCore
public import Foundation

#if canImport(FoundationNetworking)
  // Requests and responses are declared here on Linux; exported, so that no other file has to say so.
  @_exported public import FoundationNetworking
#endif

/// Sends a request and returns the server's answer.
///
/// `URLSessionTransport` is the default. An app with another network library conforms it in a few lines; tests use a canned
/// one. The package has checked the request before: https, or http to this machine, and nothing that HTTP cannot carry. A
/// transport keeps the limits. It must not follow redirects (RFC 9700 section 4.12): a `3xx` is an answer like any other,
/// because a token must not travel to another origin.
///
/// ```swift
/// struct LoggingTransport: HTTPTransport {
///   let base = URLSessionTransport()
///   func send(_ request: URLRequest, limits: TransportLimits) async throws -> (Data, HTTPURLResponse) {
///     print(request.httpMethod ?? "GET", request.url?.host ?? "")
///     return try await base.send(request, limits: limits)
///   }
/// }
/// ```
public protocol HTTPTransport: Sendable {
  /// Sends one request.
  ///
  /// - Parameters:
  ///   - request: The request, whose body, if any, is data and never a stream.
  ///   - limits: The time limits and the largest body of the answer.
  /// - Returns: The body, decompressed, and the answer's head, whatever its status. Values of a header field that came
  ///   more than once are joined with `, `.
  /// - Throws: `URLError` when there is no answer; its code says whether anything was sent, and whether to try again.
  ///   `CancellationError` when the calling task was cancelled. After any other error a change counts as one with an
  ///   unknown outcome.
  func send(_ request: URLRequest, limits: TransportLimits) async throws -> (Data, HTTPURLResponse)
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
  package static let standard = TransportLimits()
}

extension URLRequest {
  /// Makes a request with header fields and a body.
  package init(method: String, url: URL, headers: [String: String] = [:], body: Data? = nil) {
    self.init(url: url)
    httpMethod = method
    allHTTPHeaderFields = headers
    httpBody = body
  }

  /// The method on the wire.
  package var method: String { httpMethod ?? "GET" }

  /// Whether it may change something at the server: any method but the safe `GET`, `HEAD` and `OPTIONS` (RFC 9110 section
  /// 9.2.1).
  package var mayChangeSomething: Bool { !["GET", "HEAD", "OPTIONS"].contains(method) }

  /// Method and URL without its query, for messages: Foundation's own description has the whole URL.
  package var summary: String { "\(method) \(url?.redacted ?? "without a URL")" }

  /// Returns where the request goes, after checks of what must not be sent or HTTP cannot carry.
  ///
  /// The URL must be https, or http to this machine, and lead to the same place for every reader. A body must be data, which
  /// can be sent a second time.
  ///
  /// - Throws: ``ConnectorError`` with code `configuration`.
  @discardableResult
  func validatedOrigin() throws(ConnectorError) -> Origin {
    guard let url, let origin = Origin(allowed: url) else {
      throw ConnectorError(
        own: .configuration, "The URL of \(summary) is neither https nor http to this machine, or has no plain host.")
    }
    guard httpBodyStream == nil else {
      throw ConnectorError(own: .configuration, "The request's body is a stream. Use `httpBody`.")
    }
    // In any case of letters: Apple's systems send `get` as `GET`, and fail with a body as if the answer were too large.
    guard httpBody == nil || !["GET", "HEAD"].contains(method.uppercased()) else {
      throw ConnectorError(
        own: .configuration, "A \(method) request cannot carry a body.",
        recoverySuggestion: "Use another method, or put the values into the URL's query.")
    }
    let fields = allHTTPHeaderFields ?? [:]
    guard ([method] + fields.keys).allSatisfy({ ASCIIText.isToken($0.utf8) }),
      !fields.values.joined().utf8.contains(where: { $0 < 0x20 && $0 != 0x09 || $0 == 0x7F })
    else {
      throw ConnectorError(
        own: .configuration, "The request's method or a header field contains characters that HTTP forbids.")
    }
    return origin
  }
}

extension ConnectorError {
  /// Returns the error with the request that it is about.
  package func about(_ request: URLRequest) -> ConnectorError {
    request.url.map { about($0, method: request.method) } ?? self
  }
}

/// The scheme, host and port that a URL leads to (RFC 6454 section 4); what decides whether a token may go there.
package struct Origin: Sendable, Hashable, CustomStringConvertible {
  package let scheme: String
  package let host: String
  /// The origin as it is written in a URL, the default port left out.
  package let description: String

  private static let start = Pattern(/[^:\/?#]+:\/\/[^\/?#]*/)
  private static let ipv6 = Pattern(/\[[0-9a-f]*:[0-9a-f]*:[0-9a-f:.]*\]/)

  /// Takes the origin of a URL that a request may go to: https, or http to this machine.
  package init?(allowed url: URL) {
    guard Loopback.isAllowed(url) else { return nil }
    self.init(url)
  }

  /// Takes the origin of a URL; `nil` when the URL does not lead to exactly one place for every reader.
  ///
  /// User-info, an escaped host, a backslash, brackets around a name and a port that is no port are refused: URL readers
  /// disagree on where such a URL leads.
  package init?(_ url: URL) {
    let ports = ["https": 443, "http": 80]
    // Scheme and authority alone: what a path or a query may contain does not change where the URL leads.
    guard let start = url.absoluteString.prefixMatch(of: Self.start),
      let parts = URLComponents(plain: String(start.output)), parts.user == nil, parts.password == nil,
      let scheme = parts.scheme?.lowercased(), let port = parts.port ?? ports[scheme],
      let host = parts.encodedHost?.lowercased(), !host.isEmpty, !host.contains("%"),
      // Some readers look up a name in brackets.
      !host.hasPrefix("[") || host.wholeMatch(of: Self.ipv6) != nil
    else { return nil }
    self.scheme = scheme
    self.host = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
    description = "\(scheme)://\(host)" + (port == ports[scheme] ? "" : ":\(port)")
  }

  /// The host, and the port unless it is the scheme's default.
  package var hostAndPort: String { String(description.dropFirst(scheme.count + 3)) }
}
