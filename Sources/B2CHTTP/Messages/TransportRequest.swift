public import Foundation

/// A request on its way to a server, independent of the library that carries it.
public struct TransportRequest: Sendable, Hashable {
  /// The request method.
  public var method: HTTPMethod
  /// Where to: https, or http to this machine.
  public var url: URL
  /// The header fields.
  public var headers: HTTPHeaders
  /// The body, if any.
  public var body: Data?
  /// How long the exchange may take and how much it may bring.
  public var limits: TransportLimits

  /// Makes a request.
  ///
  /// - Parameters:
  ///   - method: The request method.
  ///   - url: Where to: https, or http to this machine.
  ///   - headers: The header fields.
  ///   - body: The body, if any.
  ///   - limits: How long the exchange may take and how much it may bring.
  public init(
    method: HTTPMethod = .get, url: URL, headers: HTTPHeaders = [:], body: Data? = nil,
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

extension TransportRequest: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// Method, scheme, host and path; no query values, no headers, no body.
  public var description: String {
    "\(summary) (\(headers.fields.count) headers, \(body?.count ?? 0) bytes)"
  }

  /// The same as ``description``.
  public var debugDescription: String { description }

  /// A mirror that shows the description only.
  public var customMirror: Mirror { Mirror(self, children: ["request": description]) }
}
