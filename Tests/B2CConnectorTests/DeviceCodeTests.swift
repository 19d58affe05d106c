import B2CConnector
import B2CTestKit
import Foundation
import TestSupport
import Testing

@Suite("Device authorization (RFC 8628)", .hangLimit)
struct DeviceCodeTests {
  private struct Seen: Error {}

  /// What becomes of the code.
  enum End: CaseIterable { case approved, declined, expired, cancelled }

  @Test(
    "The user finishes a code on another device, declines it, lets it expire or gives up here", arguments: End.allCases)
  func end(_ end: End) async throws {
    let scene = Scene(shape: .entra, holdsTime: true)
    let connector = try scene.connector()
    let shown = Recorder<DeviceAuthorization>()
    let signIn = Task { try await connector.signInWithDeviceCode { shown.record($0) } }
    await scene.clock.waitForSleepers()
    await scene.clock.advance(by: .seconds(5))
    await scene.clock.waitForSleepers()
    let code = try #require(shown.values.first).userCode
    switch end {
    case .approved:
      #expect(scene.tenant.approveDevice(userCode: code, email: LocalUser.alice.email))
      await scene.clock.advance(by: .seconds(5))
      #expect(try await signIn.value.user.username == LocalUser.alice.email)
      #expect(try await connector.accessToken().userID.hasPrefix(LocalUser.alice.id))
    case .declined:
      #expect(scene.tenant.denyDevice(userCode: code))
      await scene.clock.advance(by: .seconds(5))
      await expectError(ConnectorError.self, .userCancelledInPage) { try await signIn.value }
    case .expired:
      await scene.clock.advance(by: .seconds(86_400))
      let error = try await #require(throws: ConnectorError.self) { try await signIn.value }
      #expect(error.code == .timedOut && !error.isRetryable)
    case .cancelled:
      signIn.cancel()
      await #expect(throws: CancellationError.self) { try await signIn.value }
    }
  }

  // MARK: The code

  /// Asks a tenant for a code, and returns the error, whose `underlying` is `Seen` if there is a code to show.
  private func refusal(_ scene: Scene, _ shown: Recorder<DeviceAuthorization>? = nil) async throws -> ConnectorError {
    try await #require(throws: ConnectorError.self) {
      try await scene.connector().signInWithDeviceCode {
        shown?.record($0)
        throw Seen()
      }
    }
  }

  @Test(
    "At External ID the published endpoint is used if the authority's host has it",
    arguments: [nil, "https://login.other.example/devicecode"] as [JSONValue?])
  func externalID(_ published: JSONValue?) async throws {
    let scene = Scene(shape: .ciam) {
      $0.changeMetadata = { $0["device_authorization_endpoint"] = published ?? $0["device_authorization_endpoint"] }
    }
    let error = try await refusal(scene)
    #expect(published == nil ? error.underlying is Seen : error.code == .unsupported)
    #expect(scene.transport.requests.allSatisfy { $0.url?.host != "login.other.example" })
  }

  private static let usual: [String: JSONValue] = [
    "device_code": "0f9d7a34-1111-4222-8333-944455556666", "user_code": "ABCD-EFGH",
    "verification_uri": "https://login.example/device", "expires_in": 900, "interval": 5,
  ]

  /// A tenant that answers the request for a device code with these fields.
  private func scene(answering fields: [String: JSONValue], status: Int = 200) -> Scene {
    let scene = Scene(shape: .entra)
    let answer = LocalResponse(status: status, body: Data(JSONValue.object(fields).description.utf8))
    scene.tenant.faults = [LocalFault(on: .path("/devicecode"), .respond(answer))]
    return scene
  }

  @Test("A device authorization without a code, or that is refused, is an error with its request")
  func unusableAnswer() async throws {
    let empty = try await refusal(scene(answering: [:]))
    #expect(empty.code == .invalidResponse && empty.method == "POST")
    let fields: [String: JSONValue] = [
      "error": "invalid_client", "error_description": "AADSTS700016: Unknown app.",
    ]
    let refused = try await refusal(scene(answering: fields, status: 400))
    #expect(refused.code == .configuration && refused.serverCode == "AADSTS700016")
    for error in [empty, refused] { #expect(error.url?.hasSuffix("/devicecode") == true) }
  }

  @Test(
    "An address that is not https, or has user-info, is not shown; a complete one is left out",
    arguments: [
      "https://login.example/?c=1", "http://login.example/device", "https://microsoft.com@evil.example/",
      "https://a:b@evil.example/", "ftp://a.example/", "login.example", "http://127.0.0.2.example/",
    ], ["verification_uri", "verification_url", "verification_uri_complete"])
  func address(_ address: String, _ name: String) async throws {
    var fields = Self.usual
    if name == "verification_url" { fields["verification_uri"] = nil }
    fields[name] = .string(address)
    let shown = Recorder<DeviceAuthorization>()
    let error = try await refusal(scene(answering: fields), shown)
    let (isShown, isComplete) = (address.hasPrefix("https://login"), name == "verification_uri_complete")
    #expect(isShown || isComplete ? error.underlying is Seen : error.code == .invalidResponse)
    if isComplete { #expect(shown.values.first?.completeVerificationURL?.absoluteString == (isShown ? address : nil)) }
  }

  // MARK: The wait for the user

  /// What the token endpoint does to one poll.
  private typealias Poll = Result<LocalResponse, URLError>

  private static let lost = Poll.failure(URLError(.networkConnectionLost))
  private static let timedOut = Poll.failure(URLError(.timedOut))
  private static let slowDown = answer(400, "slow_down")
  /// The user declines, whatever the words.
  private static let denied = Poll.success(
    LocalResponse(status: 400, body: Data(#"{"error":"access_denied","error_description":"Forbidden"}"#.utf8)))

  private static func pending(retryAfter: String? = nil) -> Poll {
    answer(400, "authorization_pending", retryAfter: retryAfter)
  }

  private static func answer(_ status: Int, _ error: String, retryAfter: String? = nil) -> Poll {
    let body = error.isEmpty ? "" : #"{"error":"\#(error)"}"#
    let headers = retryAfter.map { ["Retry-After": $0] } ?? [:]
    return .success(LocalResponse(status: status, headers: headers, body: Data(body.utf8)))
  }

  /// Signs in with a device code, and returns the seconds before each poll and before the end.
  private func waits(_ polls: [Poll], _ code: ErrorCode) async throws -> [Int] {
    let scene = Scene(shape: .openIDConnect, holdsTime: true)
    let (left, clock, times) = (Locked(polls), scene.clock, Recorder<Date>())
    times.record(clock.date)
    scene.transport.intercept { request in
      guard request.isTokenRequest else { return nil }
      times.record(clock.date)
      return try left.withLock { $0.isEmpty ? Self.denied : $0.removeFirst() }.get()
    }
    let connector = try scene.connector()
    await expectError(ConnectorError.self, code) {
      try await scene.passingTime { try await connector.signInWithDeviceCode { _ in } }
    }
    times.record(clock.date)
    return zip(times.values, times.values.dropFirst()).map { Int($1.timeIntervalSince($0).rounded()) }
  }

  private static let intervals: [(polls: [Poll], waits: [Int])] = [
    ([pending(), pending()], [5, 5, 5]), ([slowDown, pending(), slowDown], [5, 10, 10, 15]),
    ([lost, lost, pending()], [5, 10, 20, 20]), ([timedOut, slowDown, lost], [5, 10, 15, 30]),
    ([answer(503, "")], [5, 10]),
    // Doubled up to a minute.
    ([lost, lost, lost, lost, lost], [5, 10, 20, 40, 60, 60]),
    ([pending(retryAfter: "880"), pending()], [5, 880, 5]),
    // The longer of the two, once.
    ([answer(429, "", retryAfter: "60"), pending()], [5, 60, 10]),
    ([answer(429, "slow_down", retryAfter: "2"), pending()], [5, 10, 10]),
    ([pending(retryAfter: "soon")], [5, 5]),
  ]

  @Test(
    "Each answer, and each lost connection, changes the interval (RFC 8628 section 3.5)", arguments: intervals.indices)
  func interval(_ index: Int) async throws {
    let row = Self.intervals[index]
    // The last poll ends the sign-in at once.
    #expect(try await waits(row.polls, .userCancelledInPage).dropLast() == row.waits[...])
  }

  @Test(
    "A code that has expired, by the server or at the next poll, ends the sign-in",
    arguments: ["895", "100000", "99999999999999999999"])
  func beyondTheEnd(_ retryAfter: String) async throws {
    #expect(try await waits([Self.answer(400, "expired_token")], .timedOut).dropLast() == [5])
    let waits = try await waits([Self.answer(429, "slow_down", retryAfter: retryAfter)], .timedOut)
    #expect(waits.count == 2 && (895...905).contains(waits[0] + waits[1]))
  }

  // MARK: The user

  /// Signs in by a code that Alice approves immediately.
  private func signIn(_ scene: Scene, _ connector: Connector) async throws -> SignInResult {
    try await connector.signInWithDeviceCode { code in
      #expect(scene.tenant.approveDevice(userCode: code.userCode, email: LocalUser.alice.email))
    }
  }

  @Test("Without an id_token, which RFC 8628 does not promise, userinfo tells who it is", arguments: [true, false])
  func userInfo(_ grantsOpenID: Bool) async throws {
    let scene = Scene(shape: .openIDConnect) {
      if grantsOpenID { $0.changeTokenAnswer = { $0["id_token"] = nil } }
      $0.grantedScopes = { $0.filter { grantsOpenID || $0 != "openid" } }
      $0.changeUserInfo = { $0["locale"] = "de" }
    }
    let connector = try scene.connector()
    let result = try await signIn(scene, connector)
    #expect(result.user.id == "\(scene.tenant.issuer)#\(LocalUser.alice.id)" && result.user.hasSession)
    #expect(result.user.claims.keys.sorted() == ["email", "locale", "name", "sub"] && result.idToken == nil)
    #expect(try await connector.user(id: result.user.id) == result.user)
    await scene.expire()
    #expect(try await connector.accessToken().userID == result.user.id)
    #expect(try await connector.fetchUserInfo() == result.user)
  }

  @Test(
    "Without an id_token, and without userinfo that tells who it is, no user is signed in",
    arguments: [
      (LocalTenant.Shape.entra, "", 200, #"{"sub":"1"}"#, ErrorCode.invalidResponse),
      (.openIDConnect, "userinfo_endpoint", 200, #"{"sub":"1"}"#, .invalidResponse),
      (.openIDConnect, "access_token", 200, #"{"sub":"1"}"#, .invalidResponse),
      (.openIDConnect, "", 200, "{}", .invalidResponse), (.openIDConnect, "", 200, #"{"sub":""}"#, .invalidResponse),
      (.openIDConnect, "", 401, "", .unauthorized), (.openIDConnect, "", 503, "", .serviceUnavailable),
    ])
  func withoutIDToken(
    _ shape: LocalTenant.Shape, _ missing: String, _ status: Int, _ body: String, _ code: ErrorCode
  ) async throws {
    let scene = Scene(shape: shape) {
      $0.changeMetadata = { $0[missing] = nil }
      $0.changeTokenAnswer = { for name in ["id_token", missing] { $0[name] = nil } }
    }
    scene.tenant.faults = [
      LocalFault(on: .path("/userinfo"), .respond(LocalResponse(status: status, body: Data(body.utf8))))
    ]
    let error = try await #require(throws: ConnectorError.self) { try await signIn(scene, scene.connector()) }
    #expect(error.code == code && error.method == (missing.isEmpty && shape == .openIDConnect ? "GET" : "POST"))
    #expect(try await scene.cache.keys().isEmpty)
  }
}
