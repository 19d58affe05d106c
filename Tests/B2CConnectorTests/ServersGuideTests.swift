import B2CConnector
import B2CTestKit
import Foundation
import TestSupport
import Testing

/// A server's presenter, as Docs/Servers.md has it.
private struct Login: SignInPresenter {
  private let pages = AsyncStream.makeStream(of: URL.self)
  private let callbacks = AsyncStream.makeStream(of: URL.self)

  func present(_ request: PresentationRequest) async throws -> URL {
    pages.continuation.yield(request.url)
    for await url in callbacks.stream { return url }
    throw CancellationError()
  }

  func page() async -> URL? {
    for await url in pages.stream { return url }
    return nil
  }

  func callback(_ url: URL) { callbacks.continuation.yield(url) }
  func end() { pages.continuation.finish() }
}

/// What Docs/Servers.md says of the sign-ins of several visitors.
@Suite("The guide for servers", .timeLimit(.minutes(10)))
struct ServersGuideTests {
  private let clock = TestClock()
  private let tenant: LocalTenant
  private let server: LocalTaskServer
  private let network: LocalNetwork
  private let environment: Connector.Environment

  init() {
    let clock = clock
    tenant = LocalTenant(now: { clock.date })
    server = LocalTaskServer(tenant: tenant)
    network = LocalNetwork(tenant, server, clock: clock)
    environment = Connector.Environment(
      presenter: ManualPresenter(), cache: InMemoryTokenCache(), transport: network, clock: clock,
      now: { clock.date })
  }

  private func begin(_ login: Login) throws -> Task<SignInResult, any Error> {
    var environment = environment
    environment.presenter = login
    let connector = try Connector(settings: tenant.settings(taskServer: server), environment: environment)
    return Task {
      defer { login.end() }
      return try await connector.signIn()
    }
  }

  /// The callback that a visitor's browser brings after a page.
  private func callback(of browser: ScriptedPresenter, at page: URL?) async throws -> URL {
    let page = try #require(page)
    let items = URLComponents(url: page, resolvingAgainstBaseURL: false)?.queryItems ?? []
    let state = try #require(items.first { $0.name == "state" }?.value)
    let redirectURI = try #require(URL(string: LocalTenant.standardRedirectURI))
    return try await browser.present(PresentationRequest(url: page, redirectURI: redirectURI, state: Secret(state)))
  }

  @Test("Two visitors sign in at once, each by a page of their own, and each sees their own tasks")
  func twoVisitors() async throws {
    let logins = [Login(), Login()]
    let users = try logins.map { try begin($0) }
    // Both pages are open before either visitor is done.
    let pages = [await logins[0].page(), await logins[1].page()]
    for (index, person) in [LocalUser.alice, .bob].enumerated().reversed() {
      let browser = ScriptedPresenter(transport: network, .signIn(person))
      logins[index].callback(try await callback(of: browser, at: pages[index]))
      #expect(await logins[index].page() == nil)
    }
    let connector = try Connector(settings: tenant.settings(taskServer: server), environment: environment)
    for (user, person) in zip(users, [LocalUser.alice, .bob]) {
      let kept = UserInfo(id: try await user.value.user.id)
      try await connector.addTask(TaskItem(itemName: person.displayName), user: kept)
    }
    for person in [LocalUser.alice, .bob] {
      #expect(server.tasks(of: person.id).map(\.text) == [person.displayName])
    }
  }

  @Test("A callback of another login is refused, and no one is signed in by it")
  func foreignCallback() async throws {
    let (login, attacker) = (Login(), Login())
    let (victim, sender) = (try begin(login), try begin(attacker))
    let browser = ScriptedPresenter(transport: network, .signIn(.bob))
    let sent = try await callback(of: browser, at: await attacker.page())
    _ = await login.page()
    login.callback(sent)
    let error = await #expect(throws: ConnectorError.self) { try await victim.value }
    #expect(error?.code == .invalidResponse && error?.message.contains("does not carry the state") == true)
    #expect(await login.page() == nil)
    let connector = try Connector(settings: tenant.settings(taskServer: server), environment: environment)
    #expect(try await connector.users().isEmpty)
    sender.cancel()
  }

  @Test("A forgotten password has a second page")
  func secondPage() async throws {
    let login = Login()
    let user = try begin(login)
    let browser = ScriptedPresenter(
      transport: network, .forgotPassword,
      .resetPassword(email: LocalUser.alice.email, newPassword: "Not-A-Secret-3"),
      .signIn(email: LocalUser.alice.email, password: "Not-A-Secret-3"))
    var pages = 0
    while let page = await login.page() {
      pages += 1
      login.callback(try await callback(of: browser, at: page))
    }
    #expect(pages > 1)
    #expect(try await user.value.user.emails.first == LocalUser.alice.email)
  }
}
