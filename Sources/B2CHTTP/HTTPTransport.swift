@_exported public import B2CCore
public import Foundation

#if canImport(FoundationNetworking)
  // On Linux, requests and responses are declared in this module. Exporting it saves other files the same `#if`.
  @_exported public import FoundationNetworking
#endif

/// A sender of requests, which returns the server's responses.
///
/// `URLSessionTransport` is the default. If your app uses another network library, write a type with this one method,
/// and in tests you can return canned responses. The SDK has checked the request, so it is https or http to this
/// machine and contains nothing that HTTP cannot carry.
///
/// A transport must enforce the limits. It must not follow redirects (RFC 9700 section 4.12) but return a `3xx` like
/// any other response, because a token must not be sent to another origin.
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
  /// Sends a request.
  ///
  /// - Parameters:
  ///   - request: The request. If it has a body, the body is data and never a stream.
  ///   - limits: The time limits, and the largest body of the response.
  /// - Returns: The decompressed body and the head of the response, whatever its status is. If a header field occurs
  ///   more than once, its values are joined with `, `.
  /// - Throws: `URLError` if there is no response, with a code that says whether the request may have been sent;
  ///   `CancellationError` if the task is cancelled. After any other error, the SDK assumes that a change may have been
  ///   made.
  func send(_ request: URLRequest, limits: TransportLimits) async throws -> (Data, HTTPURLResponse)
}

/// The time limits of a request, and the largest body of its response.
public struct TransportLimits: Sendable, Hashable {
  /// The largest body of a response in bytes, after decompression.
  public var maximumBodyBytes: Int
  /// The time limit from sending the request to the last byte of the response.
  public var deadline: Duration
  /// The longest time without data from the server.
  public var idleTimeout: Duration

  /// Creates limits.
  ///
  /// - Parameters:
  ///   - maximumBodyBytes: The largest body of a response in bytes, after decompression, by default 1 MiB.
  ///   - deadline: The time limit from sending the request to the last byte of the response, by default 30 seconds.
  ///   - idleTimeout: The longest time without data from the server, by default 15 seconds.
  public init(
    maximumBodyBytes: Int = 1 << 20, deadline: Duration = .seconds(30), idleTimeout: Duration = .seconds(15)
  ) {
    self.maximumBodyBytes = maximumBodyBytes
    self.deadline = deadline
    self.idleTimeout = idleTimeout
  }

  /// The default limits: a body of 1 MiB, 30 seconds, and 15 seconds without data.
  package static let standard = TransportLimits()
}

extension URLRequest {
  /// Creates a request with header fields and a body.
  package init(method: String, url: URL, headers: [String: String] = [:], body: Data? = nil) {
    self.init(url: url)
    httpMethod = method
    allHTTPHeaderFields = headers
    httpBody = body
  }

  /// The method of the request, which is `GET` if none was set.
  package var method: String { httpMethod ?? "GET" }

  /// Whether the request may change something at the server, as any method except `GET`, `HEAD` and `OPTIONS` may (RFC
  /// 9110 section 9.2.1).
  package var mayChangeSomething: Bool { !["GET", "HEAD", "OPTIONS"].contains(method) }

  /// The method and the URL without its query, for messages, because Foundation's own description shows the whole URL.
  package var summary: String { "\(method) \(url?.redacted ?? "without a URL")" }

  /// Returns the origin of the request, after checking that the request may be sent and that HTTP can carry it.
  ///
  /// The URL must be https, or http to this machine, and all URL parsers must agree on its host. The body must be data,
  /// so that it can be sent a second time.
  ///
  /// - Throws: ``ConnectorError`` with code `configuration`.
  @discardableResult
  package func validatedOrigin() throws(ConnectorError) -> Origin {
    guard let url, let origin = Origin(allowed: url) else {
      throw ConnectorError(
        own: .configuration, "The URL of \(summary) is neither https nor http to this machine, or has no plain host.")
    }
    guard httpBodyStream == nil else {
      throw ConnectorError(own: .configuration, "The request's body is a stream. Use `httpBody`.")
    }
    // The method is compared in any case, because Apple's systems send `get` as `GET`. A GET with a body would fail
    // with an error about a response that is too large.
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
  /// Returns the error with the method and URL of the request that it is about.
  package func about(_ request: URLRequest) -> ConnectorError {
    request.url.map { about($0, method: request.method) } ?? self
  }
}

/// The scheme, host and port of a URL (RFC 6454 section 4), which decide whether a token may be sent there.
package struct Origin: Sendable, Hashable, CustomStringConvertible {
  package let scheme: String
  package let host: String
  /// The origin as it is written in a URL, without a default port.
  package let description: String

  private static let start = Pattern(/[^:\/?#]+:\/\/[^\/?#]*/)
  private static let ipv6 = Pattern(/\[[0-9a-f]*:[0-9a-f]*:[0-9a-f:.]*\]/)

  /// Creates the origin of a URL that requests may go to, which is https, or http to this machine.
  package init?(allowed url: URL) {
    guard Loopback.isAllowed(url) else { return nil }
    self.init(url)
  }

  /// Creates the origin of a URL, or `nil` if URL parsers may disagree on the host that the URL leads to.
  ///
  /// They disagree on user names, escaped hosts, backslashes, brackets around a name, and invalid ports.
  package init?(_ url: URL) {
    let ports = ["https": 443, "http": 80]
    // Only the scheme and authority are parsed, because the path and query never change the host.
    guard let start = url.absoluteString.prefixMatch(of: Self.start),
      let parts = URLComponents(plain: String(start.output)), parts.user == nil, parts.password == nil,
      let scheme = parts.scheme?.lowercased(), let port = parts.port ?? ports[scheme],
      let host = parts.encodedHost?.lowercased(), !host.isEmpty, !host.contains("%"),
      // Brackets must contain an IPv6 address, because some URL parsers look up a name in brackets.
      !host.hasPrefix("[") || host.wholeMatch(of: Self.ipv6) != nil
    else { return nil }
    self.scheme = scheme
    self.host = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
    description = "\(scheme)://\(host)" + (port == ports[scheme] ? "" : ":\(port)")
  }

  /// The host and, unless it is the scheme's default, the port.
  package var hostAndPort: String { String(description.dropFirst(scheme.count + 3)) }
}
