internal import Foundation

/// Cuts the bytes of a connection into requests (RFC 9112).
struct RequestReader {
  /// What comes next on a connection.
  enum Next {
    case request(LoopbackRequest, keepingConnection: Bool)
    case refused(RequestRefusal)
    case ended
  }

  /// Why no more bytes came.
  private enum Stop: Error {
    case ended
    case refused(RequestRefusal)
  }

  private let stream: SocketStream
  private let limits: LoopbackLimits
  private var buffer: [UInt8] = []

  init(stream: SocketStream, limits: LoopbackLimits) {
    self.stream = stream
    self.limits = limits
  }

  /// Reads one request, or says why there is none.
  mutating func next() async -> Next {
    if buffer.isEmpty {
      guard case .bytes(let bytes) = await stream.receive(until: .now.advanced(by: limits.idleTimeout)) else {
        return .ended
      }
      buffer = bytes
    }
    let deadline = ContinuousClock.now.advanced(by: limits.requestTimeout)
    do throws(Stop) {
      let head = try await readHead(until: deadline)
      let body = try await readBody(of: head, until: deadline)
      let request = LoopbackRequest(method: head.method, target: head.target, headers: head.headers, body: body)
      return .request(request, keepingConnection: head.keepsConnection)
    } catch {
      switch error {
      case .ended: return .ended
      case .refused(let refusal): return .refused(refusal)
      }
    }
  }

  private mutating func readHead(until deadline: ContinuousClock.Instant) async throws(Stop) -> RequestHead {
    var searched = 0
    while true {
      // A client may leave an empty line behind its last body (RFC 9112 section 2.2).
      while buffer.starts(with: [0x0D, 0x0A]) { buffer.removeFirst(2) }
      do throws(RequestRefusal) {
        if let end = try RequestHead.end(in: buffer, from: searched, limit: limits.headBytes) {
          let head = try RequestHead(buffer[..<end])
          buffer.removeFirst(end)
          return head
        }
      } catch {
        throw .refused(error)
      }
      searched = max(0, buffer.count - 3)
      try await fill(until: deadline)
    }
  }

  private mutating func readBody(
    of head: RequestHead, until deadline: ContinuousClock.Instant
  ) async throws(Stop) -> Data {
    if case .none = head.framing { return Data() }
    if case .length(let length) = head.framing, length > limits.bodyBytes { throw .refused(.tooLarge) }
    if head.expectsContinue {
      _ = await stream.send(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8), until: deadline)
    }
    guard case .length(let length) = head.framing else { return try await readChunks(until: deadline) }
    return Data(try await take(length, until: deadline))
  }

  private mutating func readChunks(until deadline: ContinuousClock.Instant) async throws(Stop) -> Data {
    var body = Data()
    while true {
      let line = try await takeLine(until: deadline)
      guard let size = ChunkSize.parse(line) else { throw .refused(.malformed("A chunk has no size.")) }
      guard size <= limits.bodyBytes - body.count else { throw .refused(.tooLarge) }
      if size == 0 { break }
      body.append(contentsOf: try await take(size, until: deadline))
      guard try await take(2, until: deadline) == [0x0D, 0x0A] else {
        throw .refused(.malformed("A chunk is longer than its size."))
      }
    }
    var trailer = 0
    while true {
      let line = try await takeLine(until: deadline)
      if line.isEmpty { return body }
      trailer += line.count
      guard trailer <= limits.headBytes else { throw .refused(.headTooLarge) }
    }
  }

  private mutating func take(_ count: Int, until deadline: ContinuousClock.Instant) async throws(Stop) -> [UInt8] {
    while buffer.count < count {
      try await fill(until: deadline)
    }
    defer { buffer.removeFirst(count) }
    return Array(buffer.prefix(count))
  }

  private mutating func takeLine(until deadline: ContinuousClock.Instant) async throws(Stop) -> [UInt8] {
    while true {
      if let end = buffer.firstIndex(of: 0x0A) {
        guard end > 0, buffer[end - 1] == 0x0D else { throw .refused(.malformed("A line ends without CR.")) }
        defer { buffer.removeFirst(end + 1) }
        return Array(buffer[..<(end - 1)])
      }
      guard buffer.count <= limits.headBytes else { throw .refused(.headTooLarge) }
      try await fill(until: deadline)
    }
  }

  private mutating func fill(until deadline: ContinuousClock.Instant) async throws(Stop) {
    // A client that sends without a pause must not outrun its deadline.
    guard ContinuousClock.now < deadline else { throw .refused(.timedOut) }
    switch await stream.receive(until: deadline) {
    case .bytes(let bytes): buffer += bytes
    case .ended: throw .ended
    case .timedOut: throw .refused(.timedOut)
    }
  }
}
