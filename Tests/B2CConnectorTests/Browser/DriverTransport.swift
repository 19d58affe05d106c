#if os(macOS) || os(Linux)
  import B2CConnector
  import B2CHTTP
  import B2CTestKit
  import Foundation
  import TestSupport

  #if canImport(FoundationNetworking)
    import FoundationNetworking
  #endif

  /// HTTP to the driver, over a plain connection.
  ///
  /// The driver writes no space behind the colon of a header field, as RFC 9112 section 5.1 lets it; `URLSession` on Linux
  /// takes such an answer for a broken one.
  struct DriverTransport: HTTPTransport {
    func send(_ request: URLRequest, limits: TransportLimits) async throws -> (Data, HTTPURLResponse) {
      guard let port = request.url?.port.flatMap(UInt16.init(exactly:)) else { throw WebDriverError("No port.") }
      let client = try await LoopbackClient(port: port)
      defer { client.close() }
      let body = request.httpBody ?? Data()
      var head = "\(request.method) \(request.path) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n"
      for (name, value) in request.allHTTPHeaderFields ?? [:] { head += "\(name): \(value)\r\n" }
      head += "Content-Length: \(body.count)\r\n\r\n"
      await client.send(Data(head.utf8) + body)
      return try await withTaskCancellationHandler {
        try await answer(client).answer(to: request.url)
      } onCancel: {
        client.close()
      }
    }

    private func answer(_ client: LoopbackClient) async throws -> LocalResponse {
      var received = Data()
      let end = Data("\r\n\r\n".utf8)
      while received.range(of: end) == nil { received += try await more(client) }
      guard let gap = received.range(of: end) else { throw WebDriverError("The answer has no head.") }
      let lines = String(decoding: received[..<gap.lowerBound], as: UTF8.self).components(separatedBy: "\r\n")
      let fields = lines.dropFirst().map { line in
        let parts = line.split(separator: ":", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
        return ((parts.first ?? "").lowercased(), parts.count > 1 ? parts[1] : "")
      }
      let headers = Dictionary(fields) { first, _ in first }
      guard let status = lines.first?.split(separator: " ").dropFirst().first.flatMap({ Int($0) }),
        let count = headers["content-length"].flatMap({ Int($0) })
      else { throw WebDriverError("The answer's head is not understood.") }
      var body = Data(received[gap.upperBound...])
      while body.count < count { body += try await more(client) }
      return LocalResponse(status: status, headers: headers, body: body)
    }

    private func more(_ client: LoopbackClient) async throws -> Data {
      guard let bytes = await client.receive(), !bytes.isEmpty else {
        throw WebDriverError("The driver broke the connection.")
      }
      return bytes
    }
  }
#endif
