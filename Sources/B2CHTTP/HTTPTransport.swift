@_exported public import B2CCore
public import Foundation

#if canImport(FoundationNetworking)
  public import FoundationNetworking
#endif

/// Sends a request and returns the server's answer.
///
/// `URLSessionTransport` is the default. An app with another network library conforms it in a few lines; tests use a canned
/// one. The package has checked the request before: https, or http to this machine, and nothing that HTTP cannot carry. A
/// transport keeps the limits. It must not follow redirects (RFC 9700 section 4.12): a `3xx` is an answer like any other,
/// because a token must not travel to another origin.
public protocol HTTPTransport: Sendable {
  /// Sends one request.
  ///
  /// - Parameters:
  ///   - request: What to send; its body, if any, is data.
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
  public static let standard = TransportLimits()
}
