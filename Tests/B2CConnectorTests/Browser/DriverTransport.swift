#if os(macOS) || os(Linux)
  import B2CConnector
  import Foundation
  import TestSupport

  /// HTTP to the driver, over a plain connection.
  ///
  /// The driver writes no space behind the colon of a header field, as RFC 9112 section 5.1 lets it; `URLSession` on Linux
  /// takes such an answer for a broken one.
  struct DriverTransport: HTTPTransport {
    func send(_ request: TransportRequest) async throws -> TransportResponse {
      guard let port = request.url.port.flatMap(UInt16.init(exactly:)) else { throw WebDriverError("No port.") }
      let client = try await LoopbackClient(port: port)
      defer { client.close() }
      let body = request.body ?? Data()
      var head = "\(request.method.rawValue) \(request.url.path) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n"
      for field in request.headers.fields { head += "\(field.name): \(field.value)\r\n" }
      head += "Content-Length: \(body.count)\r\n\r\n"
      await client.send(Data(head.utf8) + body)
      return try await withTaskCancellationHandler {
        try await answer(client)
      } onCancel: {
        client.close()
      }
    }

    private func answer(_ client: LoopbackClient) async throws -> TransportResponse {
      var received = Data()
      let end = Data("\r\n\r\n".utf8)
      while received.range(of: end) == nil { received += try await more(client) }
      guard let gap = received.range(of: end) else { throw WebDriverError("The answer has no head.") }
      let lines = String(decoding: received[..<gap.lowerBound], as: UTF8.self).components(separatedBy: "\r\n")
      let fields = lines.dropFirst().map { line in
        let parts = line.split(separator: ":", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
        return (name: parts.first ?? "", value: parts.count > 1 ? parts[1] : "")
      }
      let headers = TransportRequest.Headers(fields)
      guard let status = lines.first?.split(separator: " ").dropFirst().first.flatMap({ Int($0) }),
        let count = headers["Content-Length"].flatMap({ Int($0) })
      else { throw WebDriverError("The answer's head is not understood.") }
      var body = Data(received[gap.upperBound...])
      while body.count < count { body += try await more(client) }
      return TransportResponse(status: status, headers: headers, body: body)
    }

    private func more(_ client: LoopbackClient) async throws -> Data {
      guard let bytes = await client.receive(), !bytes.isEmpty else {
        throw WebDriverError("The driver broke the connection.")
      }
      return bytes
    }
  }
#endif
