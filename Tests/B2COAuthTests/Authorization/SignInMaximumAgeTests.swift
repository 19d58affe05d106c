import B2CCore
import B2CIDToken
import B2COAuth
import B2CTestKit
import Foundation
import TestSupport
import Testing

/// OpenID Connect Core 3.1.3.7 rule 13: a client that asks for a recent sign-in must check it.
@Suite("max_age", .timeLimit(.minutes(10)))
struct SignInMaximumAgeTests {
  private func signIn(maximumAge: String?, authenticatedBefore seconds: Double?) async throws {
    let fixture = Fixture()
    let time = seconds.map { fixture.clock.date.timeIntervalSince1970 - $0 }
    fixture.tenant.behavior.changeIDTokenClaims = { $0["auth_time"] = time.map(JSONValue.number) }
    try await fixture.client().signIn(
      options: SignInOptions(extraParameters: maximumAge.map { ["max_age": $0] } ?? [:]))
  }

  @Test(
    "A sign-in that is too old, or does not say when it was, is refused",
    arguments: [2_592_000.0 as Double?, 1_000, nil])
  func refused(_ seconds: Double?) async throws {
    let error = try await #require(throws: OAuthError.self) {
      try await signIn(maximumAge: "0", authenticatedBefore: seconds)
    }
    #expect((error.underlying as? IDTokenRejection)?.reason == .authenticationTime)
  }

  @Test("A recent one is accepted; without max_age the time does not matter")
  func accepted() async throws {
    try await signIn(maximumAge: "0", authenticatedBefore: 0)
    try await signIn(maximumAge: "3600", authenticatedBefore: 3_000)
    try await signIn(maximumAge: nil, authenticatedBefore: 2_592_000)
    try await signIn(maximumAge: nil, authenticatedBefore: nil)
  }

  @Test(
    "What is not a number of seconds is refused before the page opens",
    arguments: ["", "-1", "1.5", "x", "99999999999"])
  func malformed(_ text: String) async throws {
    let fixture = Fixture()
    let presenter = fixture.script(.signIn(.alice))
    await #expect(throws: OAuthError(.configuration, "")) {
      try await fixture.client(presenter: presenter).signIn(options: SignInOptions(extraParameters: ["max_age": text]))
    }
    #expect(presenter.requests.isEmpty)
  }
}
