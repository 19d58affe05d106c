import B2CConnector
import B2CTestKit
import Foundation
import TestSupport
import Testing

@Suite("The report for a ticket", .timeLimit(.minutes(10)))
struct ConnectorReportTests {
  @Test("It has versions, settings, parts, accounts, the clock and the events")
  func contents() async throws {
    let world = World()
    let connector = try world.connector()
    try await connector.doPolicy(.signIn)
    _ = try await connector.getTaskList()
    let report = try await connector.report()
    let account = try #require(try await connector.accounts().first)
    for part in [
      "B2CConnector ", "client ID: \(world.tenant.clientID)", "redirect URI: \(LocalTenant.standardRedirectURI)",
      "policies: B2C_1_SignUp (signUp), B2C_1_SignIn (signUpOrSignIn)", "task API: \(world.tasks.url.absoluteString)",
      "token cache: InMemoryTokenCache", "presenter: ScriptedPresenter", "clock: 0 s behind the server",
      "accounts: 1\n  \(account.id.prefix(6))…: has a session", "signInStarted policy=B2C_1_SignIn",
      "signInFinished policy=B2C_1_SignIn", "required user: none",
    ] { #expect(report.contains(part), "\(part) is not in\n\(report)") }
    #expect(!report.contains("diagnosis:"))
    #expect(try await connector.report(includesDiagnosis: true).contains("diagnosis:\n[ok] settings"))
  }

  @Test("Events have their time and their correlation id, whether or not the app listens")
  func events() async throws {
    let world = World()
    let heard = Collected<OAuthEvent>()
    var environment = world.environment()
    environment.onEvent = { heard.add($0) }
    let connector = try Connector(settings: world.settings(), environment: environment)
    try await connector.doPolicy(.signIn)
    let report = try await connector.report()
    let started = try #require(heard.all.first)
    let id = try #require(started.correlationID).uuidString.lowercased()
    let time = world.clock.date.formatted(.iso8601.year().month().day())
    let line = try #require(report.split(separator: "\n").first { $0.contains("signInStarted") })
    #expect(line.contains(id))
    #expect(line.hasPrefix("  \(time)T"))
  }

  @Test("The last 200 events are kept; the same event again is counted")
  func ring() async throws {
    let world = World()
    let connector = try world.connector()
    try await connector.doPolicy(.signIn)
    for _ in 0..<300 { _ = try await connector.accessToken() }
    let quiet = try await connector.report()
    #expect(quiet.contains("cacheHit policy=B2C_1_SignIn (300 times)"))
    #expect(quiet.contains("signInStarted"))
    // A refresh is three events that differ by their correlation id.
    for _ in 0..<70 { _ = try await connector.accessToken(forceRefresh: true) }
    let busy = try await connector.report()
    let lines = busy.split(separator: "\n").drop { !$0.hasPrefix("events:") }.dropFirst()
    #expect(lines.count == 200)
    #expect(!busy.contains("signInStarted"))
    #expect(lines.last?.contains("refreshFinished") == true)
  }

  @Test("It has no token, name, email address or whole account id")
  func secrecy() async throws {
    let world = World()
    let cache = InMemoryTokenCache(lockTimeout: .patience)
    var settings = try world.settings()
    settings.userID = LocalUser.alice.email
    settings.taskWebAPI = try url("https://tasks.example/tasks?key=secret-of-the-api")
    let connector = try world.connector(settings, cache: cache)
    try await connector.doPolicy(.signIn)
    let report = try await connector.report(includesDiagnosis: true)
    let account = try #require(try await connector.accounts().first)
    let token = try await connector.accessToken().token.value
    let hidden = [
      token, account.id, String(account.id.prefix(8)), LocalUser.alice.email, LocalUser.alice.displayName,
      "secret-of-the-api",
    ]
    for text in hidden { #expect(!report.contains(text), "\(text) is in\n\(report)") }
    #expect(report.contains("required user: set"))
    #expect(report.contains("accounts: 1\n"))
  }

  @Test("At a plain issuer an account is told by a hash, since its subject may be a name")
  func plainIssuer() async throws {
    let clock = TestClock()
    let tenant = LocalTenant(shape: .openIDConnect, now: { clock.date })
    let network = LocalNetwork(tenant, clock: clock)
    let settings = ConnectorSettings(
      authority: try Authority(tenant.authority(), kind: .openIDConnect), clientID: tenant.clientID,
      scopes: tenant.apiScopes, redirectURI: try url(LocalTenant.standardRedirectURI))
    let connector = try Connector(
      settings: settings,
      environment: OAuthEnvironment(
        presenter: ScriptedPresenter(transport: network, .signIn(.alice)), transport: network, clock: clock,
        now: { clock.date }))
    let user = try await connector.signIn().user
    let report = try await connector.report()
    #expect(report.contains("accounts: 1\n  #"))
    #expect(!report.contains(user.subject))
  }

  @Test("A cache that cannot be read is told, and nothing else is lost")
  func unreadable() async throws {
    let world = World()
    let connector = try world.connector(cache: UnreadableCache())
    let report = try await connector.report()
    #expect(report.contains("accounts: cannot be read (tokenCache)"))
    #expect(report.contains("client ID: "))
    let diagnosed = try await connector.report(includesDiagnosis: true)
    #expect(diagnosed.contains("token cache: Broken: ~/tokens."))
    #expect(!diagnosed.contains(NSHomeDirectory()))
  }
}

/// A cache that cannot be read.
private struct UnreadableCache: TokenCache {
  func record(for key: TokenCacheKey) async throws -> TokenRecord? { throw TokenCacheError(.unreadable, "Broken.") }
  func store(_ record: TokenRecord, for key: TokenCacheKey) async throws {}
  func removeRecord(for key: TokenCacheKey) async throws {}
  func keys() async throws -> [TokenCacheKey] {
    throw TokenCacheError(.unreadable, "Broken: \(NSHomeDirectory())/tokens.")
  }
}
