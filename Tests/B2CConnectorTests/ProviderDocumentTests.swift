import B2CConnector
import B2CTestKit
import Foundation
import TestSupport
import Testing

/// How long metadata and keys are used, and what time it is.
///
/// The test clock starts at 2026-01-01 00:00:00 UTC.
@Suite("Metadata, keys and the provider's clock", .hangLimit)
struct ProviderDocumentTests {
  private static let day = 86_400.0
  private static let again = SignInOptions(prompt: .login)

  @Test("Metadata is fetched once a day and policy, and metadata and keys anew if the device's clock is set back")
  func documents() async throws {
    let scene = Scene()
    let connector = try await scene.signedIn()
    try await connector.signIn(options: Self.again)
    #expect(scene.tenant.counters.metadataRequests == 1 && scene.tenant.counters.keysRequests == 1)
    scene.setBack.withLock { $0 = 60 }
    try await connector.signIn(options: Self.again)
    #expect(scene.tenant.counters.metadataRequests == 2 && scene.tenant.counters.keysRequests == 2)
    try await connector.signIn(policy: Policy("B2C_1_SignUpOrSignIn"), options: Self.again)
    #expect(scene.tenant.counters.metadataRequests == 3)
    await scene.clock.advance(by: .seconds(86_401))
    try await connector.signIn(options: Self.again)
    #expect(scene.tenant.counters.metadataRequests == 4)
  }

  @Test("A key that is not published yet is asked for once at each sign-in, and used as soon as it is there")
  func lagging() async throws {
    let scene = Scene(holdsTime: true)
    let connector = try await scene.signedIn()
    try scene.tenant.rotateKeys()
    scene.tenant.behavior.changeKeys = { $0.removeFirst() }
    // When the device's clock is set back, the set is fetched for its age, and then again for the unknown key.
    for (setBack, requests) in [(0, 1), (0, 1), (Self.day, 2), (Self.day, 1)] {
      scene.setBack.withLock { $0 = setBack }
      let before = scene.tenant.counters.keysRequests
      let error = try await #require(throws: ConnectorError.self) { try await connector.signIn(options: Self.again) }
      #expect(error.code == .invalidResponse && error.message.contains("id_token is refused") && error.isRetryable)
      #expect(error.recoverySuggestion?.contains("again in a few seconds") == true)
      #expect(scene.tenant.counters.keysRequests == before + requests)
    }
    scene.tenant.behavior.changeKeys = nil
    let before = scene.tenant.counters.keysRequests
    #expect(try await connector.signIn(options: Self.again).user.name == LocalUser.alice.displayName)
    #expect(scene.tenant.counters.keysRequests == before + 1)
  }

  @Test("A device clock that is wrong by a time zone locks nobody out", arguments: [-50_400.0, 50_400])
  func wrongClock(offset: Double) async throws {
    let scene = Scene()
    scene.setBack.withLock { $0 = -offset }
    let connector = try await scene.signedIn()
    #expect(try await connector.accessToken().expiresAt == scene.clock.date.addingTimeInterval(offset + 3600))
  }

  // Each Date is within the token's life, so that no other rule refuses the token.
  @Test(
    "A Date further back, or one that a cached response repeats (RFC 9111 section 5.1), makes no expired token valid",
    arguments: [
      (57_600, "Wed, 31 Dec 2025 07:50:00 GMT", "0"), (864_000, "Sun, 21 Dec 2025 23:50:00 GMT", "0"),
      (36_000, "Wed, 31 Dec 2025 13:30:00 GMT", "37800"),
    ])
  func longAgo(_ secondsSinceEnd: Int, _ date: String, _ age: String) async throws {
    let scene = Scene()
    let end = Int64(scene.clock.date.timeIntervalSince1970) - Int64(secondsSinceEnd)
    scene.tenant.behavior.changeIDTokenClaims = {
      $0["exp"] = .integer(end)
      for name in ["iat", "nbf"] { $0[name] = .integer(end - 3_600) }
    }
    scene.tenant.faults = [
      LocalFault(on: .method("GET"), .change { $0.headers.merge(["Date": date, "Age": age]) { $1 } }),
      LocalFault(on: .token, .change { $0.headers["Date"] = nil }),
    ]
    await expectError(ConnectorError.self, .invalidResponse, saying: "it expired") {
      try await scene.connector().signIn()
    }
  }

  /// A provider, the scopes that it lists and the settings name, and whether `offline_access` is requested.
  typealias OfflineAccess = (shape: LocalTenant.Shape, listed: [String]?, named: [String], isAsked: Bool)

  static let offlineAccessRows: [OfflineAccess] = [
    (.b2c, ["openid"], [], true), (.entra, nil, [], true), (.openIDConnect, ["openid", "offline_access"], [], true),
    (.openIDConnect, ["openid"], [], false), (.openIDConnect, nil, [], false),
    (.openIDConnect, ["openid"], ["offline_access"], true),
  ]

  @Test(
    "offline_access is requested at Microsoft's services, and if it is listed or named", arguments: offlineAccessRows)
  func offlineAccess(_ row: OfflineAccess) async throws {
    let listed = row.listed.map { JSONValue.array($0.map(JSONValue.string)) }
    let scene = Scene(shape: row.shape) { $0.changeMetadata = { $0["scopes_supported"] = listed } }
    let presenter = scene.script(.signIn(.alice))
    let connector = try scene.connector(scene.settings { $0.scopes += row.named }, presenter: presenter)
    try await connector.signIn()
    _ = try? await connector.accessToken(forceRefresh: true)
    let page = query(of: try require(presenter.requests.first).url)
    let scopes = [page["scope"] ?? ""] + scene.transport.tokenForms.map { $0["scope"] ?? "" }
    #expect(scopes.allSatisfy { $0.split(separator: " ").contains("offline_access") == row.isAsked })
    // `prompt=consent` would ask the user at every sign-in.
    #expect(page["prompt"] == nil)
  }
}
