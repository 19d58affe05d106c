import B2CConnector
import B2CCore
import B2COAuth
import B2CTestKit
import B2CTokenCache
import Foundation
import TestSupport
import Testing

/// An app that asks its user before a refresh token is used.
@Suite("Asking the user before a refresh", .hangLimit)
struct TokenSourceBeforeRefreshTests {
  private struct Refused: Error {}

  /// A client whose token has this many seconds left.
  private func client(
    left seconds: Double, cache: any TokenCache = .memory(), fixture: Fixture? = nil,
    _ ask: @escaping @Sendable (UserInfo) async throws -> Void
  ) async throws -> (client: OAuthClient, fixture: Fixture) {
    let fixture = fixture ?? Fixture(cache: cache)
    let client = try fixture.client { $0.beforeRefresh = ask }
    try await client.signIn()
    await fixture.clock.advance(by: .seconds(3_600 - seconds))
    return (client, fixture)
  }

  @Test("Thirty callers ask the user once, by name, before anything is sent", arguments: CacheKind.allCases)
  func once(_ kind: CacheKind) async throws {
    let directory = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: directory) }
    let asked = Recorder<String?>()
    let gate = Monitor(false)
    let (client, fixture) = try await client(left: 0, cache: try kind.make(in: directory).one) {
      asked.record($0.username)
      try await gate.wait { $0 }
    }
    let sent = fixture.transport.tokenForms.count
    let calls = (1...30).map { _ in Task { try await client.accessToken() } }
    // The first caller's question begins in a task of its own, maybe after the others have joined it.
    try await yielding {
      fixture.events.values.filter { $0.step == .refreshShared }.count == 29 && !asked.values.isEmpty
    }
    #expect(asked.values == [LocalUser.alice.email] && fixture.transport.tokenForms.count == sent)
    gate.withLock { $0 = true }
    var tokens: Set<Secret> = []
    for call in calls { tokens.insert(try await call.value.token) }
    #expect(tokens.count == 1 && asked.values.count == 1)
    #expect(fixture.transport.tokenForms.count == sent + 1)
  }

  @Test("A token is renewed in its last minute only, and nobody is asked before", arguments: [(61.0, 0), (59.0, 1)])
  func lastMinute(left: Double, questions: Int) async throws {
    let asked = Recorder<UserInfo>()
    let (client, _) = try await client(left: left) { asked.record($0) }
    _ = try await client.accessToken()
    #expect(asked.values.count == questions)
  }

  @Test("A server's wish for an early renewal is no reason to ask")
  func refreshIn() async throws {
    let asked = Recorder<UserInfo>()
    let fixture = Fixture { $0.changeTokenAnswer = { $0["refresh_in"] = 600 } }
    let (client, _) = try await client(left: 1_000, fixture: fixture) { asked.record($0) }
    _ = try await client.accessToken()
    #expect(asked.values.isEmpty)
  }

  @Test("A user who never answers keeps no connector from closing")
  func closing() async throws {
    let gate = Monitor(false)
    let asked = Recorder<UserInfo>()
    let (client, _) = try await client(left: 0) {
      asked.record($0)
      try await gate.wait { $0 }
    }
    let call = Task { try await client.accessToken() }
    try await yielding { asked.values.count == 1 }
    await client.close()
    gate.withLock { $0 = true }
    _ = try await call.value
  }

  @Test("No: a token that has not expired is served, and for a minute nobody is asked again")
  func refusedEarly() async throws {
    let asked = Recorder<UserInfo>()
    let (client, fixture) = try await client(left: 50) {
      asked.record($0)
      throw Refused()
    }
    let sent = fixture.transport.tokenForms.count
    for _ in 1...3 { _ = try await client.accessToken() }
    #expect(asked.values.count == 1 && fixture.transport.tokenForms.count == sent)
  }

  @Test("No: without a token the calls end with userCancelled, nothing is lost, and the next call asks again")
  func refused() async throws {
    let asked = Recorder<UserInfo>()
    let (client, fixture) = try await client(left: 0) {
      asked.record($0)
      if asked.values.count < 3 { throw Refused() }
    }
    let sent = fixture.transport.tokenForms.count
    for _ in 1...2 {
      let error = try await #require(throws: ConnectorError.self) { try await client.accessToken() }
      #expect(error.code == .userCancelled && error.underlying is Refused && !error.needsInteraction)
    }
    #expect(fixture.transport.tokenForms.count == sent)
    #expect(try await client.users().first?.hasSession == true)
    _ = try await client.accessToken()
    #expect(asked.values.count == 3 && fixture.transport.tokenForms.count == sent + 1)
  }

  @Test("A caller that is cancelled while the user is asked leaves alone; the others get the token")
  func cancelled() async throws {
    let asked = Recorder<UserInfo>()
    let gate = Monitor(false)
    let (client, _) = try await client(left: 0) {
      asked.record($0)
      try await gate.wait { $0 }
    }
    let leaving = Task { try await client.accessToken() }
    try await yielding { asked.values.count == 1 }
    let staying = Task { try await client.accessToken() }
    leaving.cancel()
    await #expect(throws: CancellationError.self) { try await leaving.value }
    gate.withLock { $0 = true }
    _ = try await staying.value
    #expect(asked.values.count == 1)
  }

  @Test("A user who takes longer than a request may is waited for")
  func slowUser() async throws {
    let fixture = Fixture(holdsTime: true)
    let asked = Recorder<UserInfo>()
    let gate = Monitor(false)
    let client = try fixture.client {
      $0.limits.deadline = .seconds(30)
      $0.beforeRefresh = {
        asked.record($0)
        try await gate.wait { $0 }
      }
    }
    try await client.signIn()
    await fixture.clock.advance(by: .seconds(3_600))
    let call = Task { try await client.accessToken() }
    try await yielding { asked.values.count == 1 }
    await fixture.clock.advance(by: .seconds(300))
    gate.withLock { $0 = true }
    _ = try await call.value
  }

  @Test("Two connectors over one cache ask once")
  func twoConnectors() async throws {
    let asked = Recorder<UserInfo>()
    let gate = Monitor(false)
    let ask: @Sendable (UserInfo) async throws -> Void = {
      asked.record($0)
      try await gate.wait { $0 }
    }
    let (first, fixture) = try await client(left: 0, ask)
    let second = try fixture.client { $0.beforeRefresh = ask }
    let calls = [first, second].map { client in Task { try await client.accessToken() } }
    try await yielding { asked.values.count == 1 }
    try await yielding { fixture.events.values.contains { $0.step == .refreshShared } }
    gate.withLock { $0 = true }
    for call in calls { _ = try await call.value }
    #expect(asked.values.count == 1)
  }
}
