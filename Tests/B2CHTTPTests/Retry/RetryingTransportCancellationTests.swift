import B2CHTTP
import B2CTestKit
import Foundation
import TestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite(.timeLimit(.minutes(10)))
struct RetryingTransportCancellationTests {
  @Test func aWaitBetweenTriesEndsWithItsTask() async throws {
    let clock = TestClock(advancesItself: false)
    let canned = CannedTransport(statuses: 503, 200)
    let retrying = RetryingTransport(transport: canned, clock: clock)
    let request = URLRequest(url: try #require(URL(string: "https://api.example.com/")))
    let call = Task { try await retrying.answer(to: request) }
    await clock.waitForSleepers()
    call.cancel()
    await #expect(throws: CancellationError.self) { try await call.value }
    #expect(canned.requests.count == 1)
  }
}
