import B2CCore
import B2CHTTP
import Foundation
import TestSupport

/// Successes with a body that is no use, or too large.
extension WireFault {
  private static let unreadable = FaultExpectation("invalidResponse")
  /// A deletion needs no body, and takes any that can be read.
  private static let unlessDeleted = unreadable.but(.delete, "value")

  static var bodies: [WireFault] {
    [
      body("HTML with 200", unreadable) { _ in Data("<!DOCTYPE html><title>Sign in to the network</title>".utf8) },
      body("nothing with 200", unlessDeleted) { _ in Data() },
      WireFault("nothing with 204", unlessDeleted.but(.add, "value")) { scene in
        _ = await scene.genuine()
        await scene.exchange.respond(LoopbackResponse(status: 204))
      },
      body("wrong content type", FaultExpectation("value"), type: "text/plain") { $0 },
      body("invalid UTF-8", unreadable) { body in
        guard let quote = body.firstIndex(of: UInt8(ascii: "\"")) else { return Data([0xFF, 0xFE]) }
        return body[...quote] + [0xFF, 0xFE] + body[(quote + 1)...]
      },
      body("truncated JSON", unreadable) { $0.isEmpty ? Data("{".utf8) : $0.prefix($0.count / 2) },
      body("wrong JSON types", unlessDeleted) { body in
        let value = (try? JSONDecoder().decode(JSONValue.self, from: body)) ?? .null
        return (try? JSONEncoder().encode(mistyped(value))) ?? Data()
      },
      body("100,000 levels of JSON", unreadable) { _ in
        Data((String(repeating: "[", count: 100_000) + String(repeating: "]", count: 100_000)).utf8)
      },
      body("100,000 levels in a member", unreadable) { body in
        var body = body.isEmpty ? Data("{}".utf8) : body
        // The first member of the first object.
        guard let brace = body.firstIndex(of: UInt8(ascii: "{")) else { return body }
        let deep = String(repeating: "[", count: 100_000) + String(repeating: "]", count: 100_000)
        body.insert(contentsOf: Data("\"deep\":\(deep),".utf8), at: brace + 1)
        return body
      },
    ]
  }

  static let bombMegabytes = 64
  static let bomb = GzipBomb(size: bombMegabytes << 20).data

  static var large: [WireFault] {
    let tooLarge = FaultExpectation("invalidResponse", "invalidResponse", "tooLarge")
    var faults = [
      WireFault("gzip bomb, \(bombMegabytes) MB", tooLarge) { scene in
        await scene.exchange.respond(
          LoopbackResponse(
            status: 200, headers: ["Content-Type": "application/json", "Content-Encoding": "gzip"],
            body: bomb))
      },
      WireFault("200 MB, announced", tooLarge) { await flood($0, "Content-Length: \(200 << 20)\r\n") },
      WireFault("200 MB, not announced", tooLarge) { await flood($0, "Connection: close\r\n") },
    ]
    for index in faults.indices { faults[index].isLarge = true }
    return faults
  }

  private static func body(
    _ name: String, _ expected: FaultExpectation, type: String = "application/json",
    _ change: @escaping @Sendable (Data) -> Data
  ) -> WireFault {
    WireFault(name, expected) { scene in
      let response = await scene.genuine()
      let status = response.status == 204 ? 200 : response.status
      await scene.exchange.respond(
        LoopbackResponse(status: status, headers: ["Content-Type": type], body: change(response.body)))
    }
  }

  private static func flood(_ scene: WireScene, _ field: String) async {
    let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\(field)\r\n"
    guard await scene.exchange.write(head) else { return }
    let piece = [UInt8](repeating: UInt8(ascii: " "), count: 64 << 10)
    for _ in 0..<(200 << 20) / piece.count {
      guard await scene.exchange.write(piece) else { return }
    }
    scene.exchange.close()
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
