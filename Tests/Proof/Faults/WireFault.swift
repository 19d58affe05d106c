import B2CHTTP
import B2CLoopback
import Foundation
import TestSupport

/// A way for a server to fail, as bytes on the wire.
struct WireFault: Sendable {
  /// The remedy if the fault happens only once.
  enum Recovery: Sendable {
    /// Nothing: the call ends as if the fault stayed.
    case none
    /// Another try, for what may be tried again.
    case retry
    /// The same, and an `add` as well: the server says that it has done nothing.
    case retryOfAnything
    /// Another token, for the task API.
    case newToken
  }

  let name: String
  let expected: FaultExpectation
  var recovery = Recovery.none
  /// No connection is taken at all.
  var isRefusal = false
  /// So much is sent that memory is measured.
  var isLarge = false
  /// The platform's own `URLSession` may end the process.
  var mayEndTheProcess = false
  /// The answer says for certain that the refresh token will never work again.
  var endsSession = false
  let play: @Sendable (WireScene) async -> Void

  static let all = connections + redirects + statuses + failures + bodies + large
}

struct WireScene: Sendable {
  let exchange: LoopbackExchange
  /// The target of redirects.
  let other: URL
  /// Lets the server do its work, and returns the answer that it would send.
  let genuine: @Sendable () async -> LoopbackResponse
}

/// Answers that do not come, or not whole.
extension WireFault {
  private static let connections: [WireFault] = [
    cut("closed in the head", after: "HTTP/1.1 200 OK\r\nContent-Ty"),
    cut("closed after the status line", after: "HTTP/1.1 200 OK\r\n"),
    cut("closed in the head after 100", after: "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nX-A: b\r\n"),
    WireFault(name: "connection refused", expected: "network", recovery: .retry, isRefusal: true) { _ in },
    WireFault(name: "reset before the answer", expected: "network", recovery: .retry) { $0.exchange.reset() },
    WireFault(name: "end before the answer", expected: "network", recovery: .retry) { $0.exchange.close() },
    WireFault(name: "reset in the head", expected: "network", recovery: .retry) { scene in
      await scene.exchange.write("HTTP/1.1 200 OK\r\nContent-Ty")
      scene.exchange.reset()
    },
    WireFault(name: "reset in the body", expected: "network", recovery: .retry) { scene in
      let response = await scene.genuine()
      await scene.exchange.write(head(response, length: response.body.count + 10) + response.body.dropLast(1))
      // A reset overtakes bytes that are on their way, and the head must arrive first.
      try? await ContinuousClock().sleep(for: .milliseconds(20))
      scene.exchange.reset()
    },
    WireFault(name: "body shorter than announced", expected: "network", recovery: .retry) { scene in
      let response = await scene.genuine()
      await scene.exchange.write(head(response, length: response.body.count + 10) + response.body)
      scene.exchange.close()
    },
    WireFault(name: "head, a byte at a time", expected: "timedOut") { scene in
      await drip(Data("HTTP/1.1 200 OK\r\nX-Slow: \(String(repeating: "x", count: 4000))".utf8), scene)
    },
    WireFault(name: "body, a byte at a time", expected: "timedOut") { scene in
      await scene.exchange.write(head(await scene.genuine(), length: 4000))
      await drip(Data(repeating: UInt8(ascii: " "), count: 4000), scene)
    },
    WireFault(name: "no answer", expected: "timedOut") { await $0.exchange.waitForDisconnect() },
    WireFault(name: "not HTTP", expected: "invalidResponse") { scene in
      await scene.exchange.write("220 mail.example.com ESMTP ready\r\n\r\n")
      scene.exchange.close()
    },
  ]

  /// The connection ends in order, but inside the head.
  private static func cut(_ name: String, after head: String) -> WireFault {
    WireFault(name: name, expected: "network", recovery: .retry, mayEndTheProcess: true) { scene in
      await scene.exchange.write(head)
      scene.exchange.close()
    }
  }

  private static func drip(_ bytes: Data, _ scene: WireScene) async {
    for byte in bytes {
      guard await scene.exchange.write([byte]) else { return }
      // Cancelled when the listener closes; the rest is dropped.
      do { try await ContinuousClock().sleep(for: .milliseconds(50)) } catch { return }
    }
  }

  private static func head(_ response: LoopbackResponse, length: Int) -> Data {
    // A 204 would end with its head.
    let status = response.status == 204 ? 200 : response.status
    return Data(
      "HTTP/1.1 \(status) Answer\r\nContent-Type: application/json\r\nContent-Length: \(length)\r\n\r\n".utf8)
  }
}

/// Whole answers with a status that is no success.
extension WireFault {
  private static let redirects: [WireFault] = [301, 302, 307, 308].map { code in
    WireFault(name: "\(code) to another origin", expected: "invalidResponse") { scene in
      await scene.exchange.respond(
        LoopbackResponse(status: code, headers: ["Location": scene.other.absoluteString]))
    }
  }
  private static let failures: [WireFault] = [500, 502, 503, 504].map {
    status($0, "\($0)", "serviceUnavailable", recovery: .retry)
  }
  private static let statuses: [WireFault] = [
    repeated,
    status(
      400, "400", .init("configuration", "configuration", "server"),
      body: #"{"error":"invalid_request","error_description":"AADB2C90083: The request is missing a parameter."}"#),
    status(
      400, "400, the session has ended", .init("configuration", "interactionRequired", "server"), endsSession: true,
      body: #"{"error":"invalid_grant","error_description":"AADB2C90080: The provided grant has expired."}"#),
    status(
      401, "401 Basic", .init("configuration", "configuration", "unauthorized"), recovery: .newToken,
      headers: ["WWW-Authenticate": "Basic realm=\"token\""], body: #"{"error":"invalid_client"}"#),
    status(
      401, "401 Bearer", .init("configuration", "invalidResponse", "unauthorized"), recovery: .newToken,
      headers: ["WWW-Authenticate": "Bearer realm=\"tasks\", error=\"invalid_token\""]),
    status(403, "403", .init("configuration", "invalidResponse", "forbidden")),
    status(404, "404", .init("configuration", "invalidResponse", "notFound").but(.refresh, "configuration")),
    status(408, "408", "timedOut", recovery: .retry),
    status(409, "409", .init("configuration", "invalidResponse", "conflict")),
    status(413, "413", .init("configuration", "invalidResponse", "tooLarge")),
    status(429, "429", "throttled", recovery: .retryOfAnything),
    status(429, "429 with Retry-After", "throttled", recovery: .retryOfAnything, headers: ["Retry-After": "0"]),
  ]

  /// Repeats what was sent, plain in one place and in base64 in others.
  private static let repeated = WireFault(
    name: "400 that repeats the request", expected: .init("configuration", "configuration", "server")
  ) { scene in
    let request = scene.exchange.request
    let sent = (request.headers["authorization"] ?? "") + " " + String(decoding: request.body, as: UTF8.self)
    let fields = ["error": "invalid_request", "error_description": sent, "message": sent]
    let encoded = Data(sent.utf8).base64EncodedString()
    await scene.exchange.respond(
      LoopbackResponse(
        status: 400, headers: ["WWW-Authenticate": "Bearer error=\"\(encoded)\", error_description=\"\(encoded)\""],
        body: (try? JSONEncoder().encode(fields)) ?? Data()))
  }

  private static func status(
    _ code: Int, _ name: String, _ expected: FaultExpectation, recovery: Recovery = .none, endsSession: Bool = false,
    headers: [String: String] = [:], body: String = ""
  ) -> WireFault {
    WireFault(name: name, expected: expected, recovery: recovery, endsSession: endsSession) { scene in
      await scene.exchange.respond(LoopbackResponse(status: code, headers: headers, body: Data(body.utf8)))
    }
  }
}

/// Successes with a body that is no use, or too large.
extension WireFault {
  private static let unreadable: FaultExpectation = "invalidResponse"
  /// A deletion needs no body, and accepts any that can be read.
  private static let unlessDeleted = unreadable.but(.delete, "value")
  private static let deep = String(repeating: "[", count: 100_000) + String(repeating: "]", count: 100_000)

  private static let bodies: [WireFault] = [
    body("HTML with 200", unreadable) { _ in Data("<!DOCTYPE html><title>Sign in to the network</title>".utf8) },
    body("nothing with 200", unlessDeleted) { _ in Data() },
    WireFault(name: "nothing with 204", expected: unlessDeleted.but(.add, "value")) { scene in
      _ = await scene.genuine()
      await scene.exchange.respond(LoopbackResponse(status: 204))
    },
    body("wrong content type", "value", type: "text/plain") { $0 },
    body("invalid UTF-8", unreadable) { body in
      guard let quote = body.firstIndex(of: UInt8(ascii: "\"")) else { return Data([0xFF, 0xFE]) }
      return body[...quote] + [0xFF, 0xFE] + body[(quote + 1)...]
    },
    body("truncated JSON", unreadable) { $0.isEmpty ? Data("{".utf8) : $0.prefix($0.count / 2) },
    body("wrong JSON types", unlessDeleted) { body in
      let value = (try? JSONDecoder().decode(JSONValue.self, from: body)) ?? .null
      return (try? JSONEncoder().encode(mistyped(value))) ?? Data()
    },
    body("100,000 levels of JSON", unreadable) { _ in Data(deep.utf8) },
    body("100,000 levels in a member", unreadable) { body in
      var body = body.isEmpty ? Data("{}".utf8) : body
      // The first member of the first object.
      guard let brace = body.firstIndex(of: UInt8(ascii: "{")) else { return body }
      body.insert(contentsOf: Data("\"deep\":\(deep),".utf8), at: brace + 1)
      return body
    },
  ]

  static let bomb = GzipBomb(size: 64 << 20).data

  private static let large: [WireFault] = [
    WireFault(name: "gzip bomb, 64 MB", expected: "tooLarge", isLarge: true) { scene in
      let headers = ["Content-Type": "application/json", "Content-Encoding": "gzip"]
      await scene.exchange.respond(LoopbackResponse(status: 200, headers: headers, body: bomb))
    },
    flood("200 MB, announced", "Content-Length: \(200 << 20)"), flood("200 MB, not announced", "Connection: close"),
  ]

  private static func body(
    _ name: String, _ expected: FaultExpectation, type: String = "application/json",
    _ change: @escaping @Sendable (Data) -> Data
  ) -> WireFault {
    WireFault(name: name, expected: expected) { scene in
      let response = await scene.genuine()
      let status = response.status == 204 ? 200 : response.status
      await scene.exchange.respond(
        LoopbackResponse(status: status, headers: ["Content-Type": type], body: change(response.body)))
    }
  }

  private static func flood(_ name: String, _ field: String) -> WireFault {
    WireFault(name: name, expected: "tooLarge", isLarge: true) { scene in
      let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\(field)\r\n\r\n"
      guard await scene.exchange.write(head) else { return }
      let piece = [UInt8](repeating: UInt8(ascii: " "), count: 64 << 10)
      for _ in 0..<(200 << 20) / piece.count {
        guard await scene.exchange.write(piece) else { return }
      }
      scene.exchange.close()
    }
  }

  /// Every member of the top level with a value of another type.
  private static func mistyped(_ value: JSONValue) -> JSONValue {
    switch value {
    case .object(let members): .object(members.mapValues { if case .string = $0 { .integer(5) } else { .string("x") } })
    case .array(let elements): .array(elements.isEmpty ? [.integer(5)] : elements.map(mistyped))
    default: .string("x")
    }
  }
}
