import B2CHTTP
import B2COAuth
import B2CTestKit
import Foundation
import Testing

/// The test clock starts at 2026-01-01 00:00:00 UTC.
@Suite("The measured clock offset")
struct ServerClockTests {
  private func signIn(
    endedBefore seconds: Double, date: String, age: String? = nil, on target: LocalFaultTarget = .any
  ) async throws {
    let fixture = Fixture()
    let end = fixture.clock.date.timeIntervalSince1970 - seconds
    fixture.tenant.behavior.changeIDTokenClaims = {
      $0["exp"] = .number(end)
      $0["iat"] = .number(end - 3_600)
      $0["nbf"] = .number(end - 3_600)
    }
    fixture.tenant.faults = [
      LocalFault(
        on: target,
        .change { response in
          response.headers["Date"] = date
          if let age { response.headers["Age"] = age }
        }),
      LocalFault(on: .token, .change { if age != nil { $0.headers["Date"] = nil } }),
    ]
    try await fixture.client().signIn()
  }

  @Test("A server that is a day behind this device is believed")
  func dayBehind() async throws {
    try await signIn(endedBefore: 82_800, date: "Wed, 31 Dec 2025 00:00:00 GMT")
  }

  @Test("A Date of long ago makes no token valid that ended long ago")
  func longAgo() async throws {
    await #expect(throws: OAuthError(.invalidIDToken, "")) {
      try await signIn(endedBefore: 864_000, date: "Sun, 21 Dec 2025 00:00:00 GMT")
    }
  }

  @Test("An answer out of a cache tells the time by its Age as well (RFC 9111 section 5.1)")
  func cached() async throws {
    await #expect(throws: OAuthError(.invalidIDToken, "")) {
      try await signIn(
        endedBefore: 82_800, date: "Wed, 31 Dec 2025 00:00:00 GMT", age: "86400", on: .method(.get))
    }
  }
}
