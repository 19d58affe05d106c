public import B2CCore
public import Foundation

/// What a server answered.
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
