import B2CHTTP
import B2CLoopback
import Foundation
import TestSupport

/// A server of this machine that a test tells what to do, and asks what it was sent.
final class TestServer: Sendable {
  private let listener: LoopbackListener
  private let received: Recorder<LoopbackRequest>

  init(connections: Int = 64, _ handler: @escaping @Sendable (LoopbackExchange) async -> Void) async throws {
    let received = Recorder<LoopbackRequest>()
    self.received = received
    listener = try await LoopbackListener(limits: LoopbackLimits(connections: connections)) { exchange in
      received.record(exchange.request)
      await handler(exchange)
    }
  }

  /// Answers every request the same.
  convenience init(answering response: LoopbackResponse) async throws {
    try await self.init { await $0.respond(response) }
  }

  var requests: [LoopbackRequest] { received.values }

  func url(_ path: String = "/") throws -> URL {
    guard let url = URL(string: "http://127.0.0.1:\(listener.port)\(path)") else { throw URLError(.badURL) }
    return url
  }

  /// A request whose own timeout ends nothing, however slow the machine is.
  func request(_ path: String = "/") throws -> URLRequest { URLRequest(url: try url(path)).patient }
}
