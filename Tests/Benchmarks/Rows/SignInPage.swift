import B2CConnector
import B2CTestKit
import Foundation
import TestSupport

extension Row {
  static let signInPage = Row(
    number: "13", title: "sign-in page opens, cold client, 50 ms per request",
    meaning: """
      The user taps “Sign in” and waits for the sign-in page. The baseline is one request of 50 ms. The SDK fetches \
      the provider's keys later, while the user is at the page.
      """
  ) { context in
    let tenant = try await SlowTenant()
    tenant.setDelay(.milliseconds(50))
    let pairs = try await Pairs.compare(pairs: context.pairs(21)) {
      try await tenant.bareRequest()
    } subject: {
      let transport = URLSessionTransport()
      let page = TimedPage()
      return try await page.time {
        try await tenant.connector(InMemoryTokenCache(), transport: transport, presenter: page).signIn()
      }
    }
    await tenant.stop()
    return [
      Measurement("page opens", pairs, goal: 1.1),
      Measurement("page opens, time", pairs.subject.median * 1e3, "ms"),
    ]
  }
}
