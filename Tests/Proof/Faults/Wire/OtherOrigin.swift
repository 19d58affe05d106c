import B2CCore
import B2CHTTP
import B2CLoopback
import Foundation

/// A server that nobody should talk to: redirects lead here, and everything that comes is kept.
final class OtherOrigin: Sendable {
  let url: URL
  private let listener: LoopbackListener
  private let received: Locked<[String]>

  init() async throws {
    let received = Locked<[String]>([])
    self.received = received
    listener = try await LoopbackListener { exchange in
      let request = exchange.request
      let fields = request.headers.fields.map { "\($0.name): \($0.value)" }.joined(separator: "\n")
      received.withLock {
        $0.append("\(request.method) \(request.target)\n\(fields)\n\n" + String(decoding: request.body, as: UTF8.self))
      }
      await exchange.respond(LoopbackResponse(status: 200, headers: ["Content-Type": "application/json"]))
    }
    guard let url = URL(string: "http://127.0.0.1:\(listener.port)/elsewhere") else { throw ProofError("no port") }
    self.url = url
  }

  /// How many requests came.
  var requestCount: Int { received.withLock { $0.count } }

  /// Whether one of these texts came in a request, plain or escaped.
  func hasSeen(_ secrets: Set<String>) -> Bool {
    let all = received.withLock { $0 }
    return secrets.union(secrets.map { FormEncoding.escape($0) }).contains { secret in
      all.contains { $0.contains(secret) }
    }
  }

  func close() async { await listener.close() }
}
