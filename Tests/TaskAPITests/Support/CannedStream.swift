import B2CCore
import Foundation
import TaskAPI

/// Gives each answer's body in the pieces of a canned stream.
final class CannedStream: StreamingTransport {
  private let head: TransportResponse
  private let body: @Sendable () -> AsyncThrowingStream<Data, any Error>
  private let sent = Locked<[TransportRequest]>([])

  init(
    _ status: Int = 200, headers: HTTPHeaders = [:],
    body: @escaping @Sendable () -> AsyncThrowingStream<Data, any Error>
  ) {
    head = TransportResponse(status: status, headers: headers)
    self.body = body
  }

  convenience init(_ pieces: [Data], status: Int = 200, error: TransportError? = nil) {
    self.init(status) {
      AsyncThrowingStream { continuation in
        pieces.forEach { continuation.yield($0) }
        continuation.finish(throwing: error)
      }
    }
  }

  var requests: [TransportRequest] { sent.withLock { $0 } }

  func send(_ request: TransportRequest) async throws -> TransportResponse {
    let (head, body) = try await stream(request)
    var response = head
    for try await piece in body { response.body.append(piece) }
    return response
  }

  func stream(
    _ request: TransportRequest
  ) async throws -> (head: TransportResponse, body: AsyncThrowingStream<Data, any Error>) {
    sent.withLock { $0.append(request) }
    return (head, body())
  }
}
