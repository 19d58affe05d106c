internal import B2CHTTP
internal import Foundation

/// Between the listener's messages and the core's.
enum LocalWire {
  static func request(_ request: LoopbackRequest, base: URL) -> TransportRequest? {
    let target = request.path + (request.query.map { "?" + $0 } ?? "")
    guard let url = URL(string: LocalOrigin.text(base) + target) else { return nil }
    return TransportRequest(
      method: HTTPMethod(rawValue: request.method), url: url, headers: request.headers,
      body: request.body.isEmpty ? nil : request.body)
  }

  /// Does to the connection what the answer says.
  static func play(_ answer: LocalAnswer, on exchange: LoopbackExchange) async {
    switch answer {
    case .response(let response):
      await exchange.respond(
        LoopbackResponse(status: response.status, headers: response.headers, body: response.body))
    case .cut(let response, let count):
      if let count { await exchange.write(head(response) + response.body.prefix(count)) }
      exchange.reset()
    case .drip(let response, let piece, let pause):
      // Cancelled when the listener closes; the rest is not owed to anybody then.
      _ = try? await exchange.drip(head(response) + response.body, size: max(1, piece)) {
        try await ContinuousClock().sleep(for: pause)
      }
    case .never: await exchange.waitForDisconnect()
    }
  }

  private static func head(_ response: TransportResponse) -> Data {
    var text = "HTTP/1.1 \(response.status) Answer\r\n"
    for field in response.headers.fields { text += "\(field.name): \(field.value)\r\n" }
    return Data((text + "Content-Length: \(response.body.count)\r\nConnection: close\r\n\r\n").utf8)
  }
}
