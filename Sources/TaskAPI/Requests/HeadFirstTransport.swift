internal import Foundation

/// Hands a body on while it arrives, to whoever asked for that, through layers that know whole answers only.
///
/// The layers that attach tokens and try again look at status and headers. So a success comes back to them without its
/// body, which waits in a place that the caller has set up; everything else comes back whole.
struct HeadFirstTransport: HTTPTransport {
  /// Where the body of a success waits for the call under way.
  final class Place: Sendable {
    private let body = Locked<AsyncThrowingStream<Data, any Error>?>(nil)

    func put(_ stream: AsyncThrowingStream<Data, any Error>) {
      body.withLock { $0 = stream }
    }

    func take() -> AsyncThrowingStream<Data, any Error>? {
      body.withLock { body in
        defer { body = nil }
        return body
      }
    }
  }

  @TaskLocal static var place: Place?

  private let transport: any HTTPTransport
  private let streaming: (any StreamingTransport)?

  init(_ transport: any HTTPTransport) {
    self.transport = transport
    streaming = transport as? any StreamingTransport
  }

  func send(_ request: TransportRequest) async throws -> TransportResponse {
    guard let streaming, let place = Self.place else { return try await transport.send(request) }
    let (head, body) = try await streaming.stream(request)
    guard !(200..<300).contains(head.status) else {
      place.put(body)
      return head
    }
    var response = head
    for try await piece in body {
      response.body.append(piece)
      try request.limits.check(response.body.count)
    }
    return response
  }
}

extension TransportLimits {
  /// An app's own transport may not keep the limit.
  func check(_ count: Int) throws(TransportError) {
    guard count > maximumBodyBytes else { return }
    throw TransportError(.responseTooLarge, "The answer is larger than the \(maximumBodyBytes) bytes that are allowed.")
  }
}
