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
  private static let noDate = LocalFault(on: .any, .change { $0.headers["Date"] = nil })

  private func signIn(
    maximumAge: String?, authenticatedBefore seconds: Double?, faults: [LocalFault] = []
  ) async throws {
    let fixture = Fixture()
    fixture.tenant.faults = faults
    let time = seconds.map { fixture.clock.date.timeIntervalSince1970 - $0 }
    fixture.tenant.behavior.changeIDTokenClaims = { $0["auth_time"] = time.map(JSONValue.number) }
    try await fixture.client().signIn(
      options: SignInOptions(extraParameters: maximumAge.map { ["max_age": $0] } ?? [:]))
  }

  private func expectRefusal(_ body: () async throws -> Void) async throws {
    let error = try await #require(throws: OAuthError.self) { try await body() }
    #expect((error.underlying as? IDTokenRejection)?.reason == .authenticationTime)
    #expect(error.recoverySuggestion != nil)
  }

  @Test(
    "A sign-in that is too old, or does not say when it was, is refused",
    arguments: [2_592_000.0 as Double?, 1_000, 240, 6, nil])
  func refused(_ seconds: Double?) async throws {
    try await expectRefusal { try await signIn(maximumAge: "0", authenticatedBefore: seconds) }
  }

  @Test("A recent one is accepted; without max_age the time does not matter")
  func accepted() async throws {
    try await signIn(maximumAge: "0", authenticatedBefore: 0)
    try await signIn(maximumAge: "0", authenticatedBefore: 5)
    try await signIn(maximumAge: "3600", authenticatedBefore: 3_605)
    try await signIn(maximumAge: nil, authenticatedBefore: 2_592_000)
    try await signIn(maximumAge: nil, authenticatedBefore: nil)
  }

  @Test("While no answer has told the server's time, 30 seconds are allowed")
  func unmeasuredClock() async throws {
    try await signIn(maximumAge: "0", authenticatedBefore: 30, faults: [Self.noDate])
    try await expectRefusal {
      try await signIn(maximumAge: "0", authenticatedBefore: 31, faults: [Self.noDate])
    }
  }

  /// Device clocks: right, two hours behind, two hours ahead.
  static let setBack: [TimeInterval] = [0, 7_200, -7_200]

  @Test("A login four minutes before the request is refused, whatever the device's clock says", arguments: setBack)
  func oldLogin(_ setBack: TimeInterval) async throws {
    let fixture = Fixture()
    fixture.setBack.withLock { $0 = setBack }
    // One browser, whose session is what the second sign-in gets.
    let presenter = fixture.script(.signIn(.alice))
    try await fixture.client(presenter: presenter).signIn()
    await fixture.clock.advance(by: .seconds(240))
    try await expectRefusal {
      try await fixture.client(presenter: presenter).signIn(
        options: SignInOptions(extraParameters: ["max_age": "0"]))
    }
    // The same login is recent enough for who asks for five minutes.
    try await fixture.client(presenter: presenter).signIn(
      options: SignInOptions(extraParameters: ["max_age": "300"]))
  }

  @Test("A login just after the request is accepted, though its code comes five minutes later", arguments: setBack)
  func slowConsent(_ setBack: TimeInterval) async throws {
    let fixture = Fixture()
    fixture.setBack.withLock { $0 = setBack }
    let presenter = LingeringPresenter(inner: fixture.script(.signIn(.alice)), clock: fixture.clock)
    try await fixture.client(presenter: presenter).signIn(
      options: SignInOptions(extraParameters: ["max_age": "0"]))
  }

  @Test("A clock that is first compared at the token endpoint counts as well", arguments: setBack)
  func measuredLate(_ setBack: TimeInterval) async throws {
    let fixture = Fixture()
    fixture.setBack.withLock { $0 = setBack }
    let undated: LocalFault.Effect = .change { $0.headers["Date"] = nil }
    fixture.tenant.faults = [LocalFault(on: .metadata, undated), LocalFault(on: .keys, undated)]
    let presenter = LingeringPresenter(inner: fixture.script(.signIn(.alice)), clock: fixture.clock)
    let client = try fixture.client(presenter: presenter)
    try await client.signIn(options: SignInOptions(extraParameters: ["max_age": "0"]))
  }

  @Test("A device's clock that is set right while the page is open changes nothing")
  func setMeanwhile() async throws {
    let fixture = Fixture()
    fixture.setBack.withLock { $0 = -7_200 }
    let presenter = LingeringPresenter(inner: fixture.script(.signIn(.alice)), clock: fixture.clock) {
      fixture.setBack.withLock { $0 = 0 }
    }
    try await fixture.client(presenter: presenter).signIn(
      options: SignInOptions(extraParameters: ["max_age": "0"]))
  }

  @Test(
    "What is not a number of seconds is refused before the page opens",
    arguments: ["", "-1", "1.5", "x", "99999999999"])
  func malformed(_ text: String) async throws {
    let fixture = Fixture()
    let presenter = fixture.script(.signIn(.alice))
    await expectError(OAuthError.self, .configuration) {
      try await fixture.client(presenter: presenter).signIn(options: SignInOptions(extraParameters: ["max_age": text]))
    }
    #expect(presenter.requests.isEmpty)
  }
}

/// A person who logs in at once and then reads the consent page for five minutes.
private struct LingeringPresenter: SignInPresenter {
  let inner: ScriptedPresenter
  let clock: TestClock
  var meanwhile: @Sendable () -> Void = {}

  func present(_ request: PresentationRequest) async throws -> URL {
    let callback = try await inner.present(request)
    await clock.advance(by: .seconds(300))
    meanwhile()
    return callback
  }
}
