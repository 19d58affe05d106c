internal import Foundation

/// The body of a success, piece by piece.
struct TaskListBody: Sendable {
  /// How much of the body an error can show.
  private static let shownBytes = 8192

  /// Status and headers, and of the body what an error can show.
  private(set) var answer: TransportResponse
  private var whole: Data?
  private let stream: AsyncThrowingStream<Data, any Error>?
  private let limits: TransportLimits
  private var count = 0

  /// A body in one piece when there is no stream.
  init(_ answer: TransportResponse, stream: AsyncThrowingStream<Data, any Error>?, limits: TransportLimits) {
    self.answer = answer
    self.stream = stream
    self.limits = limits
    if stream == nil {
      whole = answer.body
      self.answer.body = Data()
    }
  }

  mutating func next() async throws -> Data? {
    guard let piece = try await nextPiece() else { return nil }
    count += piece.count
    try limits.check(count)
    if answer.body.count < Self.shownBytes {
      answer.body.append(piece.prefix(Self.shownBytes - answer.body.count))
    }
    return piece
  }

  private mutating func nextPiece() async throws -> Data? {
    guard let stream else {
      defer { whole = nil }
      return whole
    }
    // An iterator cannot be sent between tasks, but the stream can; a new iterator goes on where the last one was.
    var iterator = stream.makeAsyncIterator()
    return try await iterator.next()
  }
}
