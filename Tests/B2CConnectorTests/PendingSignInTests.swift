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
  private func callback(of browser: ScriptedPresenter, at page: URL) async throws -> URL {
    let state = try #require(query(of: page)["state"])
    let redirectURI = try #require(query(of: page)["redirect_uri"].flatMap { URL(string: $0) })
    return try await browser.present(PresentationRequest(url: page, redirectURI: redirectURI, state: Secret(state)))
  }

  private func callback(of user: LocalUser, at page: URL) async throws -> URL {
    try await callback(of: ScriptedPresenter(transport: scene.network, .signIn(user)), at: page)
  }

  @Test("Two visitors at once, each half at another instance and nearly an hour apart: each sees their own tasks")
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
  }

  struct Refusal: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let code: ErrorCode
    var later = Duration.zero
    var settings: @Sendable (inout ConnectorSettings) throws -> Void = { _ in }
    var callback: @Sendable (String) -> String = { $0 }

    /// Another app finishes the sign-in.
    static func app(_ name: String, _ settings: @escaping @Sendable (inout ConnectorSettings) throws -> Void) -> Refusal
    {
      Refusal(testDescription: name, code: .configuration, settings: settings)
    }

    /// The callback is another one.
    static func callback(_ name: String, _ callback: @escaping @Sendable (String) -> String) -> Refusal {
      Refusal(testDescription: name, code: .invalidResponse, callback: callback)
    }
  }

  static let refusals: [Refusal] = [
    .app("another client ID") { $0.clientID = "another" },
    .app("another redirect URI") { $0.redirectURI = try url("https://tasks.example.com/other") },
    .app("another authority") {
      $0.authority = try Authority("https://other.b2clogin.com/other.onmicrosoft.com/B2C_1_SignIn")
    },
    Refusal(testDescription: "after an hour", code: .timedOut, later: .seconds(3601)),
    .callback("another state") { $0.replacing(/state=[^&]*/, with: "state=\(String(repeating: "A", count: 43))") },
    .callback("no state") { $0.replacing(/state=[^&]*/, with: "") },
    .callback("does not match") { $0.replacing("tasks.example.com", with: "evil.example.com") },
  ]

  @Test("A sign-in that another app finishes, or too late, or with another callback is refused", arguments: refusals)
  func refused(_ refusal: Refusal) async throws {
    let pending = try await instance().beginSignIn()
    let url = try await callback(of: .alice, at: pending.url)
    await scene.clock.advance(by: refusal.later)
    let changed = try #require(URL(string: refusal.callback(url.absoluteString)))
    await expectError(ConnectorError.self, refusal.code) {
      try await instance(refusal.settings).finishSignIn(kept(pending), callback: changed)
    }
    #expect(scene.tenant.counters.tokenRequests == 0)
    #expect(try await scene.cache.keys().isEmpty)
    guard refusal.later == .zero else { return }
    #expect(try await instance().finishSignIn(kept(pending), callback: url).user.objectID == LocalUser.alice.id)
  }

  @Test(
    "Any redirect URI will do without a presenter; a registered port is compared (RFC 9700 section 2.1)",
    arguments: ["http://127.0.0.1:8400/", "com.example.other:/callback"])
  func anyRedirectURI(_ text: String) async throws {
    scene.tenant.redirectURIs.append(text)
    let connector = try instance { $0.redirectURI = try url(text) }
    let pending = try await connector.beginSignIn()
    let callback = try await callback(of: .alice, at: pending.url)
    #expect(callback.absoluteString.hasPrefix(text))
    for port in [":8401", ""] where text.contains(":8400") {
      let moved = try url(callback.absoluteString.replacing(":8400", with: port))
      await expectError(ConnectorError.self, .invalidResponse, saying: "does not match") {
        try await connector.finishSignIn(pending, callback: moved)
      }
    }
    #if os(Linux)
      // The platform's own presenter is asked when it is used.
      if !text.hasPrefix("http") {
        await expectError(ConnectorError.self, .unsupportedRedirectURI) { try await connector.doPolicy(.signIn) }
      }
    #endif
    #expect(scene.tenant.counters.tokenRequests == 0)
    #expect(try await connector.finishSignIn(pending, callback: callback).user.objectID == LocalUser.alice.id)
  }

  @Test("The callback of another login is refused; one's own works once")
  func swapped() async throws {
    let (victim, attacker) = (try await instance().beginSignIn(), try await instance().beginSignIn())
    let sent = try await callback(of: .bob, at: attacker.url)
    await expectError(ConnectorError.self, .invalidResponse, saying: "does not contain the state") {
      try await instance().finishSignIn(victim, callback: sent)
    }
    #expect(try await instance().users().isEmpty)
    try await instance().finishSignIn(attacker, callback: sent)
    await expectError(ConnectorError.self, .interactionRequired) {
      try await instance().finishSignIn(attacker, callback: sent)
    }
  }

  @Test("After a forgotten password the caller begins a sign-in with the reset policy, which signs nobody in")
  func secondPage() async throws {
    let (connector, alice) = (try instance(), LocalUser.alice)
    let browser = ScriptedPresenter(
      transport: scene.network, .forgotPassword, .resetPassword(email: alice.email, newPassword: "Not-A-Secret-3"),
      .signIn(email: alice.email, password: "Not-A-Secret-3"))
    let first = try await connector.beginSignIn()
    await expectError(ConnectorError.self, .passwordResetRequested) {
      try await connector.finishSignIn(first, callback: callback(of: browser, at: first.url))
    }
    let reset = try await connector.beginSignIn(policy: connector.settings.policies.policy(of: .passwordReset))
    try await connector.finishSignIn(kept(reset), callback: callback(of: browser, at: reset.url))
    #expect(try await connector.users().isEmpty)
    let second = try await connector.beginSignIn()
    let result = try await connector.finishSignIn(second, callback: callback(of: browser, at: second.url))
    #expect(result.user.objectID == alice.id && result.user.hasSession)
  }

  @Test("Only the user of the options can sign in, and the scopes are those of the beginning")
  func meantUser() async throws {
    let connector = try instance()
    var options = SignInOptions()
    options.user = UserInfo(id: "\(LocalUser.alice.id).\(scene.tenant.tenantID)".uppercased())
    options.scopes = []
    for (person, isMeant) in [(LocalUser.bob, false), (.alice, true)] {
      let pending = try kept(await connector.beginSignIn(options: options))
      let url = try await callback(of: person, at: pending.url)
      if isMeant {
        let result = try await connector.finishSignIn(pending, callback: url)
        #expect(result.user.objectID == person.id && result.accessToken == nil)
      } else {
        await expectError(ConnectorError.self, .wrongUser) { try await connector.finishSignIn(pending, callback: url) }
        #expect(try await connector.users().isEmpty)
      }
    }
    // What is stored has a name, which fills in the page.
    options.user = try await connector.users().first
    #expect(query(of: try await connector.beginSignIn(options: options).url)["login_hint"] == LocalUser.alice.email)
  }

  @Test("Printing a pending sign-in shows none of its secrets")
  func secret() async throws {
    let pending = try await instance().beginSignIn()
    var shown = "\(pending) \(String(reflecting: pending))"
    dump(pending, to: &shown)
    let stored = try JSONSerialization.jsonObject(with: JSONEncoder().encode(pending)) as? [String: Any] ?? [:]
    for value in ["state", "nonce", "verifier"].map({ stored[$0] as? String }) + [pending.url.query] {
      #expect(!shown.contains(try #require(value)))
    }
  }

  @Test("A pending sign-in that was altered on the way is printed without escape codes and line breaks")
  func altered() async throws {
    let pending = try await instance().beginSignIn(policy: Policy("B2C_1_SignIn"))
    let text = String(decoding: try JSONEncoder().encode(pending), as: UTF8.self)
    for code in [#"\u001b[2J"#, #"\r\n[ok] "#, #"\u202e"#, #"\u0085"#] {
      let altered = Data(text.replacing(#""policy":""#, with: #""policy":""# + code).utf8)
      let read = try JSONDecoder().decode(PendingSignIn.self, from: altered)
      await #expect(throws: ConnectorError.self) {
        try await instance().finishSignIn(read, callback: url("https://tasks.example.com/callback"))
      }
      var shown = "\(read)" + String(reflecting: read) + "\(scene.events.values)"
      dump(read, to: &shown)
      let isPlain = shown.unicodeScalars.allSatisfy {
        $0 == "\n" || !"\u{1B}\r\u{202E}\u{85}".unicodeScalars.contains($0)
      }
      #expect(isPlain && !shown.contains("\n[ok]"), "\(shown)")
    }
  }

  /// A coder that a server may use.
  struct Coder: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let again: @Sendable (PendingSignIn) throws -> PendingSignIn

    static func json(_ name: String, _ change: @escaping @Sendable (JSONEncoder, JSONDecoder) -> Void) -> Coder {
      Coder(testDescription: name) {
        let (encoder, decoder) = (JSONEncoder(), JSONDecoder())
        change(encoder, decoder)
        return try decoder.decode(PendingSignIn.self, from: encoder.encode($0))
      }
    }

    static func propertyList(_ format: PropertyListSerialization.PropertyListFormat) -> Coder {
      Coder(testDescription: "property list \(format.rawValue)") {
        let encoder = PropertyListEncoder()
        encoder.outputFormat = format
        return try PropertyListDecoder().decode(PendingSignIn.self, from: encoder.encode($0))
      }
    }
  }

  static let coders: [Coder] = [
    .json("plain") { _, _ in },
    .json("snake case") {
      ($0.keyEncodingStrategy, $1.keyDecodingStrategy) = (.convertToSnakeCase, .convertFromSnakeCase)
    },
    .json("snake case at the encoder alone") { encoder, _ in encoder.keyEncodingStrategy = .convertToSnakeCase },
    .json("snake case at the decoder alone") { _, decoder in decoder.keyDecodingStrategy = .convertFromSnakeCase },
    .json("dates by ISO 8601 at the encoder alone") { encoder, _ in encoder.dateEncodingStrategy = .iso8601 },
    .json("dates in milliseconds at the decoder alone") { _, decoder in
      decoder.dateDecodingStrategy = .millisecondsSince1970
    },
    .json("no dates") { encoder, _ in
      encoder.dateEncodingStrategy = .custom { _, _ in throw CocoaError(.coderInvalidValue) }
    },
    .json("data as numbers") {
      ($0.dataEncodingStrategy, $1.dataDecodingStrategy) = (.deferredToData, .deferredToData)
    },
    .propertyList(.xml), .propertyList(.binary),
  ]

  @Test("Any coder keeps all of it, with any strategy for keys, dates and data", arguments: coders)
  func coded(_ coder: Coder) async throws {
    let connector = try instance { $0.additionalScopes = ["https://graph.microsoft.com/User.Read"] }
    var options = SignInOptions(prompt: .login)
    options.loginHint = "Alice+tasks@example.com"
    options.uiLocales = ["de", "en"]
    options.extraParameters = ["campaign": "A & B=1", "empty": "", "unit": "ä%20+"]
    let pending = try await connector.beginSignIn(options: options)
    let again = try coder.again(pending)
    #expect(again.url == pending.url)
    #expect(query(of: again.url)["unit"] == "ä%20+" && query(of: again.url)["prompt"] == "login")
    let url = try await callback(of: .alice, at: instance().beginSignIn().url)
    // Its own callback alone fits.
    await expectError(ConnectorError.self, .invalidResponse, saying: "state") {
      try await connector.finishSignIn(again, callback: url)
    }
    let plain = try coder.again(try await instance().beginSignIn())
    let result = try await instance().finishSignIn(plain, callback: callback(of: .alice, at: plain.url))
    #expect(result.user.objectID == LocalUser.alice.id)
  }

  @Test("Sealed, it fits into a cookie, with many scopes too", arguments: [1, 12, 16])
  func size(_ count: Int) async throws {
    let names = (1...count).map { "https://contoso.onmicrosoft.com/a-task-api-with-a-long-name/tasks.read.write.\($0)" }
    let pending = try await instance { $0.scopes = names }.beginSignIn()
    let encoder = JSONEncoder()
    encoder.outputFormatting = .withoutEscapingSlashes
    let json = try encoder.encode(pending)
    // Nonce and tag of the seal, and base64.
    #expect((json.count + 28 + 2) / 3 * 4 < 4_000)
    #expect(!String(decoding: json, as: UTF8.self).contains("code_challenge"))
  }
}
