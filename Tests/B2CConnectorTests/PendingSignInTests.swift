import B2CConnector
import B2CTestKit
import Foundation
import TestSupport
import Testing

/// A sign-in in two calls, as Docs/Servers.md has it: each half at a connector of its own, as at two instances.
@Suite(.timeLimit(.minutes(10)))
struct PendingSignInTests {
  private let scene = Scene(redirectURIs: ["https://tasks.example.com/callback", LocalTenant.standardRedirectURI])

  /// A server's connector: it has no presenter, and shares the cache with its other instances.
  private func instance(_ change: (inout ConnectorSettings) throws -> Void = { _ in }) throws -> Connector {
    var settings = try scene.tenant.settings(taskServer: scene.tasks)
    try change(&settings)
    var environment = scene.environment()
    environment.presenter = nil
    return try Connector(settings: settings, environment: environment)
  }

  /// The pending part as a cookie carries it.
  private func kept(_ pending: PendingSignIn) throws -> PendingSignIn {
    try JSONDecoder().decode(PendingSignIn.self, from: JSONEncoder().encode(pending))
  }

  /// The callback that a visitor's browser brings after a page.
  private func callback(of user: LocalUser, at page: URL) async throws -> URL {
    try await scene.script(.signIn(user)).redirect(from: page)
  }

  @Test("Two visitors at once, each half at another instance, have an hour, their own callback and their own tasks")
  func twoVisitors() async throws {
    let people = [LocalUser.alice, .bob]
    var logins: [PendingSignIn] = []
    for _ in people { logins.append(try kept(await instance().beginSignIn())) }
    #expect(try await scene.cache.keys().isEmpty)
    await scene.clock.advance(by: .seconds(3_590))
    for (login, person) in zip(logins, people).reversed() {
      let url = try await callback(of: person, at: login.url)
      let result = try await instance().finishSignIn(login, callback: url)
      #expect(result.user.objectID == person.id && result.accessToken != nil)
      try await instance().addTask(TaskItem(itemName: person.displayName), user: UserInfo(id: result.user.id))
    }
    for person in people { #expect(scene.tasks.tasks(of: person.id).map(\.text) == [person.displayName]) }
    let steps = scene.events.values.filter { $0.step == .signInStarted || $0.step == .signInFinished }
    #expect(steps.map(\.step) == [.signInStarted, .signInStarted, .signInFinished, .signInFinished])
    #expect(Set(steps.map(\.correlationID)).count == 2)
    let foreign = try await callback(of: .bob, at: logins[1].url)
    await expectError(ConnectorError.self, .invalidResponse, saying: "does not contain the state") {
      try await instance().finishSignIn(logins[0], callback: foreign)
    }
    await scene.clock.advance(by: .seconds(11))
    let late = try await callback(of: .alice, at: logins[0].url)
    await expectError(ConnectorError.self, .timedOut) { try await instance().finishSignIn(logins[0], callback: late) }
  }

  typealias OtherApp = (name: String, change: @Sendable (inout ConnectorSettings) throws -> Void)

  static let otherApps: [OtherApp] = [
    ("another client ID", { $0.clientID = "another" }),
    ("another redirect URI", { $0.redirectURI = try url("https://tasks.example.com/other") }),
    ("another authority", { $0.authority = try Authority("https://other.b2clogin.com/other.onmicrosoft.com") }),
  ]

  @Test("A sign-in that another app finishes is refused, and its own app can still finish it", arguments: otherApps)
  func refused(_ other: OtherApp) async throws {
    let pending = try await instance().beginSignIn()
    let url = try await callback(of: .alice, at: pending.url)
    await expectError(ConnectorError.self, .configuration) {
      try await instance(other.change).finishSignIn(pending, callback: url)
    }
    #expect(scene.tenant.counters.tokenRequests == 0)
    #expect(try await scene.cache.keys().isEmpty)
    #expect(try await instance().finishSignIn(pending, callback: url).user.objectID == LocalUser.alice.id)
  }

  @Test(
    "Any redirect URI will do without a presenter; a registered port is compared (RFC 9700 section 2.1)",
    arguments: ["http://127.0.0.1:8400/", "com.example.other:/callback"])
  func anyRedirectURI(_ text: String) async throws {
    scene.tenant.redirectURIs.append(text)
    let connector = try instance { $0.redirectURI = try url(text) }
    let pending = try await connector.beginSignIn()
    let callback = try await callback(of: .alice, at: pending.url)
    for port in [":8401", ""] where text.contains(":8400") {
      let moved = try url(callback.absoluteString.replacing(":8400", with: port))
      await expectError(ConnectorError.self, .invalidResponse, saying: "does not match") {
        try await connector.finishSignIn(pending, callback: moved)
      }
    }
    #expect(scene.tenant.counters.tokenRequests == 0)
    #expect(try await connector.finishSignIn(pending, callback: callback).user.objectID == LocalUser.alice.id)
  }

  @Test("After a forgotten password the caller begins a sign-in with the reset policy, which signs nobody in")
  func secondPage() async throws {
    let (connector, alice) = (try instance(), LocalUser.alice)
    let browser = ScriptedPresenter(
      transport: scene.network, .forgotPassword, .resetPassword(email: alice.email, newPassword: "Not-A-Secret-3"),
      .signIn(email: alice.email, password: "Not-A-Secret-3"))
    func signIn(_ policy: Policy? = nil) async throws -> UserInfo {
      let pending = try kept(await connector.beginSignIn(policy: policy))
      return try await connector.finishSignIn(pending, callback: browser.redirect(from: pending.url)).user
    }
    await expectError(ConnectorError.self, .passwordResetRequested) { try await signIn() }
    _ = try await signIn(connector.settings.policies.policy(of: .passwordReset))
    #expect(try await connector.users().isEmpty)
    let user = try await signIn()
    #expect(user.objectID == alice.id && user.hasSession)
  }

  @Test("Only the user of the options can sign in, and the scopes are those of the beginning")
  func meantUser() async throws {
    let (connector, id) = (try instance(), "\(LocalUser.alice.id).\(scene.tenant.tenantID)")
    func begin(as user: UserInfo) async throws -> PendingSignIn {
      var options = SignInOptions(scopes: [])
      options.user = user
      return try kept(await connector.beginSignIn(options: options))
    }
    let pending = try await begin(as: UserInfo(id: id.uppercased()))
    let other = try await callback(of: .bob, at: pending.url)
    await expectError(ConnectorError.self, .wrongUser) { try await connector.finishSignIn(pending, callback: other) }
    #expect(try await connector.users().isEmpty)
    let result = try await connector.finishSignIn(pending, callback: callback(of: .alice, at: pending.url))
    #expect(result.user.id == id && result.accessToken == nil)
    // What is stored has a name, which fills in the page.
    #expect(query(of: try await begin(as: result.user).url)["login_hint"] == LocalUser.alice.email)
  }

  @Test("Printing a pending sign-in shows none of its secrets")
  func secret() async throws {
    let pending = try await instance().beginSignIn()
    let stored = try JSONSerialization.jsonObject(with: JSONEncoder().encode(pending)) as? [String: Any] ?? [:]
    for value in ["state", "nonce", "verifier"].map({ stored[$0] as? String }) + [pending.url.query] {
      #expect(!shown(pending).contains(try #require(value)))
    }
  }

  @Test(
    "A pending sign-in that was altered on the way is printed without escape codes and line breaks",
    arguments: [#"\u001b[2J"#, #"\r\n[ok] "#, #"\u202e"#, #"\u0085"#])
  func altered(_ code: String) async throws {
    let pending = try await instance().beginSignIn(policy: Policy("B2C_1_SignIn"))
    let text = String(decoding: try JSONEncoder().encode(pending), as: UTF8.self)
    let altered = Data(text.replacing(#""policy":""#, with: #""policy":""# + code).utf8)
    let read = try JSONDecoder().decode(PendingSignIn.self, from: altered)
    await #expect(throws: ConnectorError.self) {
      try await instance().finishSignIn(read, callback: url("https://tasks.example.com/callback"))
    }
    let shown = shown(read) + "\(scene.events.values)"
    let isPlain = !shown.unicodeScalars.contains { "\u{1B}\r\u{202E}\u{85}".unicodeScalars.contains($0) }
    #expect(isPlain && !shown.contains("\n[ok]"), "\(shown)")
  }

  /// What the coder of a server does to keys, dates and data.
  enum Coder: CaseIterable { case renamesKeys, takesNoDates, writesPropertyLists }

  @Test("Any coder keeps all of it, with any strategy for keys and dates", arguments: Coder.allCases)
  func coded(_ coder: Coder) async throws {
    let apiScopes = scene.tenant.apiScopes
    let connector = try instance { ($0.scopes, $0.additionalScopes) = ([apiScopes[0]], [apiScopes[1]]) }
    let pending = try await connector.beginSignIn(
      options: SignInOptions(
        prompt: .login, loginHint: "Alice+tasks@example.com", uiLocales: ["de", "en"],
        extraParameters: ["campaign": "A & B=1", "empty": "", "unit": "ä%20+"]))
    let json = JSONEncoder()
    if coder == .renamesKeys { json.keyEncodingStrategy = .convertToSnakeCase }
    if coder == .takesNoDates {
      json.dateEncodingStrategy = .custom { _, _ in throw CocoaError(.coderInvalidValue) }
    }
    let read =
      coder == .writesPropertyLists
      ? try PropertyListDecoder().decode(PendingSignIn.self, from: PropertyListEncoder().encode(pending))
      : try JSONDecoder().decode(PendingSignIn.self, from: json.encode(pending))
    #expect(read.url == pending.url)
    #expect(query(of: read.url)["unit"] == "ä%20+" && query(of: read.url)["prompt"] == "login")
    let result = try await instance().finishSignIn(read, callback: callback(of: .alice, at: read.url))
    #expect(result.user.objectID == LocalUser.alice.id)
  }

  @Test("Sealed, it fits into a cookie, with many scopes too", arguments: [1, 12, 16])
  func size(_ count: Int) async throws {
    let names = (1...count).map { "https://contoso.onmicrosoft.com/a-task-api-with-a-long-name/tasks.read.write.\($0)" }
    let encoder = JSONEncoder()
    encoder.outputFormatting = .withoutEscapingSlashes
    let json = try encoder.encode(await instance { $0.scopes = names }.beginSignIn())
    // Nonce and tag of the seal, and base64.
    #expect((json.count + 28 + 2) / 3 * 4 < 4_000)
    #expect(!String(decoding: json, as: UTF8.self).contains("code_challenge"))
  }
}
