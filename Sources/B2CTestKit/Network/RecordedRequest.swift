public import B2CHTTP
internal import Foundation

/// A request that a local server has seen, secrets and all.
///
/// It prints without them; ``query``, ``form`` and ``request`` have them in the clear. Bodies over 1 MiB are not kept.
public struct RecordedRequest: Sendable, CustomStringConvertible {
  /// The request.
  public let request: TransportRequest
  /// What was answered; `nil` while there is no answer, or when there never was one.
  public internal(set) var response: TransportResponse?

  /// The query's values by name.
  public var query: [String: String] { LocalForm.pairs(query: request.url) }

  /// The values of a form body by name.
  public var form: [String: String] { LocalForm.pairs(request.body) }

  /// The bearer token that came with it, if any.
  public var bearerToken: String? { LocalBearer.token(in: request.headers) }

  /// Method, URL and status; no query values, no headers, no body.
  public var description: String { "\(request) → \(response.map { String($0.status) } ?? "no answer")" }
}
