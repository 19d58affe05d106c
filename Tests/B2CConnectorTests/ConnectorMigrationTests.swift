import B2CConnector
import B2CTestKit
import Foundation
import TestSupport
import Testing

/// The guide "From Azure AD B2C to External ID", over two tenants on this machine and one token cache.
@Suite("From Azure AD B2C to External ID", .hangLimit)
struct ConnectorMigrationTests {
  enum Way: CaseIterable { case standard, highScale }

  /// Both services, both connectors, and the data that an app keeps under its users' account ids.
  private final class Rollout: Sendable {
    let clock = TestClock()
    let oldTenant: LocalTenant
    let newTenant: LocalTenant
    let presenter: ScriptedPresenter
    let old: Connector
    let new: Connector
    let data = Locked<[String: String]>([:])
    let agrees = Locked(false)
    let questions = Recorder<String>()
    /// Whether the next move of the data fails.
    let fails = Locked(false)

    init(_ way: Way) throws {
      let clock = clock
      oldTenant = LocalTenant(now: { clock.date })
      // A copied user has another object id in another tenant, and the same address.
      let copy = LocalUser(
        id: "cccccccc-0000-4000-8000-000000000003", email: LocalUser.alice.email,
        password: LocalUser.alice.password.value, displayName: LocalUser.alice.displayName)
      newTenant = LocalTenant(
        tenantName: "contosocustomers", shape: .ciam,
        tenantID: way == .highScale ? oldTenant.tenantID : "99999999-0000-4000-8000-000000000009",
        customDomain: "id.contoso.com", clientID: "44444444-4444-4444-8444-444444444444",
        users: way == .highScale ? [.alice, .bob] : [copy, .bob], now: { clock.date })
      let network = LocalNetwork(oldTenant, newTenant, clock: clock)
      presenter = ScriptedPresenter(transport: network, .signIn(.alice))
      let environment = Connector.Environment(
        presenter: presenter, cache: InMemoryTokenCache(), transport: network, clock: clock, now: { clock.date })
      old = try Connector(settings: oldTenant.settings(), environment: environment)
      new = try Connector(settings: newTenant.settings(), environment: environment)
    }

    func isConfirmed(_ old: UserInfo, _ new: UserInfo) async -> Bool {
      questions.record("\(old.id) to \(new.id)")
      return agrees.withLock { $0 }
    }

    func moveData(from oldID: String, to newID: String) async throws {
      let fails = fails.withLock { fails in
        defer { fails = false }
        return fails
      }
      if fails { throw URLError(.notConnectedToInternet) }
      data.withLock { $0[newID] = $0.removeValue(forKey: oldID) }
    }

    // As in the guide.
    func move(_ before: UserInfo, from old: Connector, to new: Connector) async throws -> UserInfo {
      var options = SignInOptions(prompt: .login)
      options.loginHint = before.username
      let user = try await new.doPolicy(.signIn, options: options)
      if before.id != user.id {
        guard await isConfirmed(before, user) else { return user }
        try await moveData(from: before.id, to: user.id)
      }
      try await old.signOut(before)
      return user
    }

    /// Signs Alice in at Azure AD B2C and stores something under her account.
    func begin() async throws -> UserInfo {
      let alice = try await old.doPolicy(.signIn)
      data.withLock { $0[alice.id] = "Buy milk" }
      return alice
    }
  }

  @Test("The function that is tested here is the guide's")
  func isOfTheGuide() throws {
    let (first, last) = ("func move(_ before: UserInfo", "try await old.signOut(before)")
    let tested = try lines(of: URL(filePath: #filePath), from: first, to: last)
    let guide = packageDirectory.appending(path: "Docs/FromB2CToExternalID.md")
    #expect(try tested == lines(of: guide, from: first, to: last))
  }

  @Test("A move fills the name in, is repeated if it fails, and ends the old session", arguments: Way.allCases)
  func moves(_ way: Way) async throws {
    let rollout = try Rollout(way)
    var before = try await rollout.begin()
    rollout.agrees.withLock { $0 = true }
    switch way {
    case .standard:
      rollout.fails.withLock { $0 = true }
      await #expect(throws: URLError.self) { try await rollout.move(before, from: rollout.old, to: rollout.new) }
      #expect(try await rollout.old.users().map(\.id) == [before.id])
      #expect(rollout.data.withLock { $0 } == [before.id: "Buy milk"])
    case .highScale:
      // An old session that has expired is moved as well.
      rollout.oldTenant.revokeGrants()
      await rollout.clock.advance(by: .seconds(4_000))
      await expectError(ConnectorError.self, .interactionRequired) { try await rollout.old.accessToken() }
      before = try #require(try await rollout.old.users().first)
      #expect(!before.hasSession)
    }
    let user = try await rollout.move(before, from: rollout.old, to: rollout.new)
    #expect(rollout.newTenant.requests.contains { $0.query["login_hint"] == LocalUser.alice.email })
    #expect(rollout.data.withLock { $0 } == [user.id: "Buy milk"])
    #expect((before.id == user.id) == (way == .highScale))
    #expect(try await rollout.old.users().isEmpty)
    #expect(try await rollout.new.users().map(\.id) == [user.id])
    #expect(rollout.questions.values.count == (way == .highScale ? 0 : 2))
  }

  @Test("Without the user's consent the old account keeps its data and its session", arguments: [true, false])
  func declined(isSamePerson: Bool) async throws {
    let rollout = try Rollout(.standard)
    let (old, new, before) = (rollout.old, rollout.new, try await rollout.begin())
    if !isSamePerson {
      rollout.presenter.clearCookies()
      rollout.presenter.follow(.signIn(.bob))
    }
    let user = try await rollout.move(before, from: old, to: new)
    #expect(user.id != before.id && (user.username == before.username) == isSamePerson)
    #expect(rollout.questions.values == ["\(before.id) to \(user.id)"])
    #expect(rollout.data.withLock { $0 } == [before.id: "Buy milk"])
    // Both sessions go on, next to each other.
    await rollout.clock.advance(by: .seconds(4_000))
    for (connector, tenant, user) in [(old, rollout.oldTenant, before), (new, rollout.newTenant, user)] {
      _ = try await connector.accessToken()
      #expect(tenant.counters.refreshes == 1)
      #expect(try await connector.users().map(\.id) == [user.id])
    }
  }
}
