internal import B2CHTTP
internal import Foundation

/// The requests a server or network has seen, bounded so that a long run does not fill the memory.
struct RecordLog: Sendable {
  /// How many requests are kept at least; twice as many at most.
  private static let kept = 10_000
  /// The largest body that is kept.
  private static let largestBody = 1 << 20

  /// The newest requests, oldest first.
  private(set) var records: [RecordedRequest] = []
  /// How many requests were seen since the last ``clear()``.
  private(set) var count = 0

  private var dropped = 0

  /// Adds a request; gives the mark to add its answer by.
  mutating func begin(_ request: TransportRequest) -> Int {
    if records.count >= Self.kept * 2 {
      records.removeFirst(Self.kept)
      dropped += Self.kept
    }
    var kept = request
    if (kept.body?.count ?? 0) > Self.largestBody { kept.body = nil }
    records.append(RecordedRequest(request: kept, response: nil))
    count += 1
    return dropped + records.count - 1
  }

  /// Adds an answer, unless its request is gone.
  mutating func end(_ mark: Int, _ response: TransportResponse) {
    guard records.indices.contains(mark - dropped) else { return }
    var kept = response
    if kept.body.count > Self.largestBody { kept.body = Data() }
    records[mark - dropped].response = kept
  }

  mutating func clear() {
    // An exchange under way must not write its answer to a later record.
    dropped += records.count
    records = []
    count = 0
  }
}
