public import B2CHTTP
public import Foundation

/// A local server, which can be reached in memory and over loopback HTTP.
public protocol LocalService: Sendable {
  /// Returns whether this server serves a URL's scheme, host and port.
  ///
  /// - Parameter url: The URL of a request.
  /// - Returns: Whether requests to the URL are for this server.
  func serves(_ url: URL) -> Bool

  /// Responds to a request, after applying the faults that are set.
  ///
  /// - Parameter request: The request.
  /// - Returns: The response.
  /// - Throws: `URLError` if the request gets no response. The code is `notConnectedToInternet` if nothing was sent,
  ///   `networkConnectionLost` if the connection broke, and `timedOut` if the connection stays open. In the last case
  ///   the caller waits until its own deadline passes.
  func answer(_ request: URLRequest) async throws -> LocalResponse
}

/// A request that a local server has received.
///
/// Its description leaves out secrets, but ``query``, ``form`` and ``request`` contain them as they were sent.
public struct RecordedRequest: Sendable, Redacted {
  /// The request.
  public let request: URLRequest
  /// The response, or `nil` as long as there is none.
  public internal(set) var response: LocalResponse?

  /// The values of the query by name.
  public var query: [String: String] { request.queryValues }

  /// The values of a form body by name.
  public var form: [String: String] { request.formValues }

  /// The bearer token that the request was sent with, if any.
  public var bearerToken: String? { request.bearerToken }

  /// The method, the URL without its query, and the status of the response.
  public var description: String { "\(request.summary) → \(response.map { String($0.status) } ?? "no answer")" }
}

/// The newest requests that a server or network has received, because a long run must not fill the memory.
struct RecordLog: Sendable {
  /// The number of requests that are always kept, because the older half goes when there are twice as many.
  private static let kept = 10_000

  /// The newest requests, oldest first.
  private(set) var records: [RecordedRequest] = []
  /// The number of all requests, including those that were removed.
  private(set) var count = 0

  /// Adds a request, and returns the number that ``end(_:_:)`` needs to find it again.
  mutating func begin(_ request: URLRequest) -> Int {
    if records.count >= Self.kept * 2 { records.removeFirst(Self.kept) }
    records.append(RecordedRequest(request: request, response: nil))
    count += 1
    return count
  }

  /// Adds the response to a request, unless the request was removed meanwhile.
  mutating func end(_ mark: Int, _ response: LocalResponse) {
    let index = records.count - 1 - (count - mark)
    if records.indices.contains(index) { records[index].response = response }
  }

  mutating func clear() { records = [] }
}
