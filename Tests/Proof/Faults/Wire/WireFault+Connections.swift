import B2CHTTP
import B2CLoopback
import Foundation

/// Answers that do not come, or not whole.
extension WireFault {
  static var connections: [WireFault] {
    var refused = WireFault("connection refused", FaultExpectation("network"), recovery: .retry) { _ in }
    refused.isRefusal = true
    return headCuts + [
      refused,
      WireFault("reset before the answer", FaultExpectation("network"), recovery: .retry) { $0.exchange.reset() },
      WireFault("end before the answer", FaultExpectation("network"), recovery: .retry) { $0.exchange.close() },
      WireFault("reset in the head", FaultExpectation("network"), recovery: .retry) { scene in
        await scene.exchange.write("HTTP/1.1 200 OK\r\nContent-Ty")
        scene.exchange.reset()
      },
      WireFault("reset in the body", FaultExpectation("network"), recovery: .retry) { scene in
        let response = await scene.genuine()
        await scene.exchange.write(head(response, length: response.body.count + 10) + response.body.dropLast(1))
        // A reset overtakes what is on its way; the head has to arrive first.
        try? await ContinuousClock().sleep(for: .milliseconds(20))
        scene.exchange.reset()
      },
      WireFault("body shorter than announced", FaultExpectation("network"), recovery: .retry) { scene in
        let response = await scene.genuine()
        await scene.exchange.write(head(response, length: response.body.count + 10) + response.body)
        scene.exchange.close()
      },
      WireFault("head, a byte at a time", FaultExpectation("timedOut")) { scene in
        await drip(Data("HTTP/1.1 200 OK\r\nX-Slow: \(String(repeating: "x", count: 4000))".utf8), scene)
      },
      WireFault("body, a byte at a time", FaultExpectation("timedOut")) { scene in
        let response = await scene.genuine()
        await scene.exchange.write(head(response, length: 4000))
        await drip(Data(repeating: UInt8(ascii: " "), count: 4000), scene)
      },
      WireFault("no answer", FaultExpectation("timedOut")) { await $0.exchange.waitForDisconnect() },
      WireFault("not HTTP", FaultExpectation("invalidResponse")) { scene in
        await scene.exchange.write("220 mail.example.com ESMTP ready\r\n\r\n")
        scene.exchange.close()
      },
    ]
  }

  /// The connection ends in order, but inside the head.
  private static var headCuts: [WireFault] {
    [
      ("closed in the head", "HTTP/1.1 200 OK\r\nContent-Ty"),
      ("closed after the status line", "HTTP/1.1 200 OK\r\n"),
      ("closed in the head after 100", "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nX-A: b\r\n"),
    ].map { name, head in
      var fault = WireFault(name, FaultExpectation("network"), recovery: .retry) { scene in
        await scene.exchange.write(head)
        scene.exchange.close()
      }
      fault.mayEndTheProcess = true
      return fault
    }
  }

  private static func drip(_ bytes: Data, _ scene: WireScene) async {
    _ = try? await scene.exchange.drip(bytes) { try await ContinuousClock().sleep(for: .milliseconds(50)) }
  }

  private static func head(_ response: LoopbackResponse, length: Int) -> Data {
    // A 204 would end with its head.
    let status = response.status == 204 ? 200 : response.status
    return Data(
      "HTTP/1.1 \(status) Answer\r\nContent-Type: application/json\r\nContent-Length: \(length)\r\n\r\n".utf8)
  }
}
