public import B2CHTTP
public import Foundation

/// A local server: one core from request to answer, reached in memory or over loopback HTTP.
public protocol LocalService: Sendable {
  /// Whether a request is meant for this service, by scheme, host and port.
  ///
  /// - Parameter url: The URL of the request.
  /// - Returns: Whether the service answers for that origin.
  func serves(_ url: URL) -> Bool

  /// Answers a request, with whatever faults are set.
  ///
  /// - Parameter request: The request.
  /// - Returns: The answer.
  /// - Throws: `URLError` for a request without an answer: `notConnectedToInternet` when nothing was sent,
  ///   `networkConnectionLost` when the connection broke, `timedOut` when it stays open; the front waits then, until the
  ///   caller has had enough.
  func answer(_ request: URLRequest) async throws -> LocalResponse
}

/// A request that a local server has seen, secrets and all.
///
/// It prints without them; ``query``, ``form`` and ``request`` have them in the clear.
public struct RecordedRequest: Sendable, Redacted {
  /// The request.
  public let request: URLRequest
  /// The answer; `nil` while there is no answer, or when there never was one.
  public internal(set) var response: LocalResponse?

  /// The query's values by name.
  public var query: [String: String] { request.queryValues }

  /// The values of a form body by name.
  public var form: [String: String] { request.formValues }

  /// The bearer token that came with it, if any.
  public var bearerToken: String? { request.bearerToken }

  /// Method, URL and status; no query, no headers, no body.
  public var description: String { "\(request.summary) → \(response.map { String($0.status) } ?? "no answer")" }
}

/// The requests a server or network has seen, bounded so that a long run does not fill the memory.
struct RecordLog: Sendable {
  /// How many requests are kept at least; twice as many at most.
  private static let kept = 10_000

  /// The newest requests, oldest first.
  private(set) var records: [RecordedRequest] = []
  /// How many requests were seen, with those that are no longer here.
  private(set) var count = 0

  /// Adds a request; returns the mark to add its answer by.
  mutating func begin(_ request: URLRequest) -> Int {
    if records.count >= Self.kept * 2 { records.removeFirst(Self.kept) }
    records.append(RecordedRequest(request: request, response: nil))
    count += 1
    return count
  }

  /// Adds an answer, unless its request is gone.
  mutating func end(_ mark: Int, _ response: LocalResponse) {
    let index = records.count - 1 - (count - mark)
    if records.indices.contains(index) { records[index].response = response }
  }

  mutating func clear() { records = [] }
}
