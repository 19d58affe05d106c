import B2CConnector
import B2CHTTP
import B2CTestKit
import Foundation
import TestSupport
import Testing

/// The test clock starts at 2026-01-01 00:00:00 UTC.
@Suite("The measured clock offset", .hangLimit)
struct ServerClockTests {
  private func signIn(
    endedBefore seconds: Double, date: String, age: String? = nil, on target: LocalFaultTarget = .any
  ) async throws {
    let scene = Scene()
    let end = scene.clock.date.timeIntervalSince1970 - seconds
    scene.tenant.behavior.changeIDTokenClaims = {
      $0["exp"] = .number(end)
      $0["iat"] = .number(end - 3_600)
      $0["nbf"] = .number(end - 3_600)
    }
    scene.tenant.faults = [
      LocalFault(
        on: target,
        .change { response in
          response.headers["Date"] = date
          if let age { response.headers["Age"] = age }
        }),
      LocalFault(on: .token, .change { if age != nil { $0.headers["Date"] = nil } }),
    ]
    try await scene.connector().signIn()
  }

  @Test("A server that is 14 hours behind, as by a wrong time zone here, is believed")
  func wrongTimeZone() async throws {
    try await signIn(endedBefore: 14 * 3_600 - 1_800, date: "Wed, 31 Dec 2025 10:00:00 GMT")
  }

  // Each Date is within the token's life, so that no other rule refuses the token.
  @Test(
    "A Date further back makes no token valid that has expired",
    arguments: [
      (57_600.0, "Wed, 31 Dec 2025 07:50:00 GMT"), (162_000, "Tue, 30 Dec 2025 02:50:00 GMT"),
      (259_200, "Sun, 28 Dec 2025 23:50:00 GMT"), (864_000, "Sun, 21 Dec 2025 23:50:00 GMT"),
    ])
  func longAgo(endedBefore seconds: Double, date: String) async throws {
    let error = try await #require(throws: ConnectorError.self) { try await signIn(endedBefore: seconds, date: date) }
    #expect(error.message.contains("it expired"))
  }

  @Test("An answer out of a cache tells the time by its Age as well (RFC 9111 section 5.1)")
  func cached() async throws {
    await expectError(ConnectorError.self, .invalidResponse, saying: "id_token is refused") {
      try await signIn(
        endedBefore: 36_000, date: "Wed, 31 Dec 2025 13:30:00 GMT", age: "37800", on: .method("GET"))
    }
  }
}
