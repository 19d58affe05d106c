import B2CConnector
import B2CCore
import B2CHTTP
import B2CTestKit
import Foundation
import TestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// How long metadata and keys are used, and what time it is.
///
/// The test clock starts at 2026-01-01 00:00:00 UTC.
@Suite("Metadata, keys and the provider's clock", .hangLimit)
struct ProviderDocumentTests {
  private static let day = 86_400.0
  private static let again = SignInOptions(prompt: .login)

  @Test("Metadata is fetched once a day and policy")
  func documents() async throws {
    let scene = Scene()
    let connector = try await scene.signedIn()
    try await connector.signIn(options: Self.again)
    #expect(scene.tenant.counters.metadataRequests == 1)
    try await connector.signIn(policy: Policy("B2C_1_SignUpOrSignIn"), options: Self.again)
    #expect(scene.tenant.counters.metadataRequests == 2)
    await scene.clock.advance(by: .seconds(86_401))
    try await connector.signIn(options: Self.again)
    #expect(scene.tenant.counters.metadataRequests == 3)
  }

  @Test("If the device's clock is set back, metadata and keys are fetched anew", arguments: [60, day, 30 * day])
  func setBack(_ seconds: Double) async throws {
    let scene = Scene()
    let connector = try await scene.signedIn()
    try await connector.signIn(options: Self.again)
    #expect(scene.tenant.counters.metadataRequests == 1 && scene.tenant.counters.keysRequests == 1)
    scene.setBack.withLock { $0 = seconds }
    try await connector.signIn(options: Self.again)
    #expect(scene.tenant.counters.metadataRequests == 2 && scene.tenant.counters.keysRequests == 2)
  }

  /// Signs in with a token whose key is not published; returns how many requests for keys that took.
  private func failedSignIn(_ scene: Scene, _ connector: Connector) async throws -> Int {
    let before = scene.tenant.counters.keysRequests
    let error = try await #require(throws: ConnectorError.self) { try await connector.signIn(options: Self.again) }
    #expect(error.code == .invalidResponse && error.message.contains("id_token is refused") && error.isRetryable)
    #expect(error.recoverySuggestion?.contains("again in a few seconds") == true)
    return scene.tenant.counters.keysRequests - before
  }

  @Test("A key that is not published yet ends the sign-in, and the next one works as soon as the key is there")
  func lagging() async throws {
    let scene = Scene(holdsTime: true)
    let connector = try await scene.signedIn()
    try scene.tenant.rotateKeys()
    scene.tenant.behavior.changeKeys = { $0.removeFirst() }
    #expect(try await failedSignIn(scene, connector) == 1)
    scene.tenant.behavior.changeKeys = nil
    #expect(try await connector.signIn(options: Self.again).user.name == LocalUser.alice.displayName)
  }

  @Test("A key that stays unknown is asked for once at each sign-in, also after the device's clock is set back")
  func stillUnknown() async throws {
    let scene = Scene(holdsTime: true) { $0.signIDTokens(.unknownKeyID) }
    let connector = try scene.connector()
    // The first set, and one look for the key.
    #expect(try await failedSignIn(scene, connector) == 2)
    for _ in 0..<3 { #expect(try await failedSignIn(scene, connector) == 1) }
    scene.setBack.withLock { $0 = Self.day }
    // The set is fetched for its age, and then again for the unknown key.
    #expect(try await failedSignIn(scene, connector) == 2)
  }

  @Test("A key that is found does not keep the next new one from being asked for, nor does a request that failed")
  func rolledTwice() async throws {
    let scene = Scene(holdsTime: true)
    let connector = try await scene.signedIn { $0.retry = .none }
    for isDown in [false, true, false] {
      try scene.tenant.rotateKeys(keepingOld: false)
      let before = scene.tenant.counters.keysRequests
      if isDown {
        scene.tenant.faults = [LocalFault(on: .keys, times: 1, .respond(LocalResponse(status: 503)))]
        await expectError(ConnectorError.self, .serviceUnavailable) { try await connector.signIn(options: Self.again) }
      }
      try await connector.signIn(options: Self.again)
      #expect(scene.tenant.counters.keysRequests == before + 1)
    }
  }

  @Test("A device clock that is wrong by a time zone locks nobody out", arguments: [-50_400.0, 50_400])
  func wrongClock(offset: Double) async throws {
    let scene = Scene()
    scene.setBack.withLock { $0 = -offset }
    let connector = try await scene.signedIn()
    #expect(try await connector.accessToken().expiresAt == scene.clock.date.addingTimeInterval(offset + 3600))
  }

  /// Signs in with an id_token that ended a while ago, at a server with another `Date`.
  private func signIn(
    endedBefore seconds: Double, date: String, age: String? = nil, on target: LocalFaultTarget = .any
  ) async throws {
    let scene = Scene()
    let end = scene.clock.date.timeIntervalSince1970 - seconds
    scene.tenant.behavior.changeIDTokenClaims = {
      $0["exp"] = .number(end)
      for name in ["iat", "nbf"] { $0[name] = .number(end - 3_600) }
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
    await expectError(ConnectorError.self, .invalidResponse, saying: "it expired") {
      try await signIn(endedBefore: seconds, date: date)
    }
  }

  @Test("A response out of a cache tells the time by its Age as well (RFC 9111 section 5.1)")
  func cached() async throws {
    await expectError(ConnectorError.self, .invalidResponse, saying: "id_token is refused") {
      try await signIn(
        endedBefore: 36_000, date: "Wed, 31 Dec 2025 13:30:00 GMT", age: "37800", on: .method("GET"))
    }
  }

  /// A provider, what it lists and what the settings name.
  struct OfflineAccess: Sendable, CustomTestStringConvertible {
    let testDescription: String
    var shape = LocalTenant.Shape.openIDConnect
    var listed: [String]? = ["openid", "offline_access"]
    var named: [String] = []
    var prompt: String?
    let isAsked: Bool
  }

  static let offlineAccessRows: [OfflineAccess] = [
    .init(testDescription: "B2C, whatever it lists", shape: .b2c, isAsked: true),
    .init(testDescription: "Entra ID, which lists nothing", shape: .entra, listed: nil, isAsked: true),
    .init(testDescription: "a provider that lists it", isAsked: true),
    .init(testDescription: "a provider that does not list it", listed: ["openid"], isAsked: false),
    .init(testDescription: "a provider that lists nothing", listed: nil, isAsked: false),
    .init(testDescription: "named by the developer", listed: ["openid"], named: ["offline_access"], isAsked: true),
    .init(testDescription: "another prompt, as always", prompt: "login", isAsked: true),
  ]

  @Test(
    "offline_access is requested at Microsoft's services, and if it is listed or named", arguments: offlineAccessRows)
  func offlineAccess(_ row: OfflineAccess) async throws {
    let listed = row.listed.map { JSONValue.array($0.map(JSONValue.string)) }
    let scene = Scene(shape: row.shape) { $0.changeMetadata = { $0["scopes_supported"] = listed } }
    let presenter = scene.script(.signIn(.alice))
    let connector = try scene.connector(scene.settings { $0.scopes += row.named }, presenter: presenter)
    try await connector.signIn(options: SignInOptions(prompt: Prompt(rawValue: row.prompt ?? "")))
    _ = try? await connector.accessToken(forceRefresh: true)
    let page = query(of: try require(presenter.requests.first).url)
    let scopes = [page["scope"] ?? ""] + scene.transport.tokenForms.map { $0["scope"] ?? "" }
    #expect(scopes.allSatisfy { $0.split(separator: " ").contains("offline_access") == row.isAsked })
    // `prompt=consent` would ask the user at every sign-in.
    #expect(page["prompt"] == row.prompt)
  }
}
