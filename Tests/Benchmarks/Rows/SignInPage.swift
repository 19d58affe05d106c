import B2CConnector
import B2CCore
import B2CTestKit
import Foundation
import TestSupport

extension Row {
  static let signInPage = Row(
    number: "13", title: "sign-in page opens, cold client, 50 ms per request",
    meaning: "how long nothing happens after a tap on “Sign in”"
  ) { context in
    let tenant = try await SlowTenant()
    tenant.setDelay(.milliseconds(50))
    let pairs = try await Pairs.compare(pairs: context.isQuick ? 3 : 21) {
      try await tenant.bareRequest()
    } subject: {
      let transport = URLSessionTransport()
      let page = TimedPage()
      let seconds = try await page.time {
        try await tenant.client(InMemoryTokenCache(), transport: transport, presenter: page).signIn()
      }
      return seconds
    }
    await tenant.stop()
    return [
      Measurement("page opens", pairs, goal: 1.2),
      Measurement("page opens, time", pairs.subject.median * 1e3, "ms"),
    ]
  }
}
