/// How much of a body is taken.
struct BodyLimit: Sendable {
  let maximumBytes: Int
  /// An answer to `HEAD` announces a size and brings nothing.
  let countsAnnounced: Bool

  init(_ request: TransportRequest) {
    maximumBytes = request.limits.maximumBodyBytes
    countsAnnounced = request.method != .head
  }

  func isExceeded(by head: ResponseHead) -> Bool {
    countsAnnounced && head.announcedBytes > Int64(maximumBytes) && head.status != 304
  }

  var error: TransportError {
    TransportError(.responseTooLarge, "The answer is larger than the \(maximumBytes) bytes that the request allows.")
  }
}
