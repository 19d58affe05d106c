import B2CConnector
import B2CCore
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
  private func connector(
    left seconds: Double, cache: any TokenCache = .memory(), scene: Scene? = nil,
    _ ask: @escaping @Sendable (UserInfo) async throws -> Void
  ) async throws -> (Connector, Scene) {
    let scene = scene ?? Scene(cache: cache)
    let connector = try scene.connector { $0.beforeRefresh = ask }
    try await connector.signIn()
    await scene.clock.advance(by: .seconds(3_600 - seconds))
    return (connector, scene)
  }

  @Test("Thirty callers ask the user once, by name, before anything is sent", arguments: CacheKind.allCases)
  func once(_ kind: CacheKind) async throws {
    let directory = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: directory) }
    let asked = Recorder<String?>()
    let gate = Monitor(false)
    let (connector, scene) = try await connector(left: 0, cache: try kind.make(in: directory).one) {
      asked.record($0.username)
      try await gate.wait { $0 }
    }
    let sent = scene.transport.tokenForms.count
    let calls = (1...30).map { _ in Task { try await connector.accessToken() } }
    // The first caller's question begins in a task of its own, maybe after the others have joined it.
    try await yielding {
      scene.events.values.filter { $0.step == .refreshShared }.count == 29 && !asked.values.isEmpty
    }
    #expect(asked.values == [LocalUser.alice.email] && scene.transport.tokenForms.count == sent)
    gate.withLock { $0 = true }
    var tokens: Set<Secret> = []
    for call in calls { tokens.insert(try await call.value.token) }
    #expect(tokens.count == 1 && asked.values.count == 1)
    #expect(scene.transport.tokenForms.count == sent + 1)
  }

  @Test("A token is renewed in its last minute only, and nobody is asked before", arguments: [(61.0, 0), (59.0, 1)])
  func lastMinute(left: Double, questions: Int) async throws {
    let asked = Recorder<UserInfo>()
    let (connector, _) = try await connector(left: left) { asked.record($0) }
    _ = try await connector.accessToken()
    #expect(asked.values.count == questions)
  }

  @Test("A server's wish for an early renewal is no reason to ask")
  func refreshIn() async throws {
    let asked = Recorder<UserInfo>()
    let scene = Scene { $0.changeTokenAnswer = { $0["refresh_in"] = 600 } }
    let (connector, _) = try await connector(left: 1_000, scene: scene) { asked.record($0) }
    _ = try await connector.accessToken()
    #expect(asked.values.isEmpty)
  }

  @Test("A user who never answers keeps no connector from closing")
  func closing() async throws {
    let gate = Monitor(false)
    let asked = Recorder<UserInfo>()
    let (connector, _) = try await connector(left: 0) {
      asked.record($0)
      try await gate.wait { $0 }
    }
    let call = Task { try await connector.accessToken() }
    try await yielding { asked.values.count == 1 }
    await connector.close()
    gate.withLock { $0 = true }
    _ = try await call.value
  }

  @Test("No: a token that has not expired is served, and for a minute nobody is asked again")
  func refusedEarly() async throws {
    let asked = Recorder<UserInfo>()
    let (connector, scene) = try await connector(left: 50) {
      asked.record($0)
      throw Refused()
    }
    let sent = scene.transport.tokenForms.count
    for _ in 1...3 { _ = try await connector.accessToken() }
    #expect(asked.values.count == 1 && scene.transport.tokenForms.count == sent)
  }

  @Test("No: without a token the calls end with userCancelled, nothing is lost, and the next call asks again")
  func refused() async throws {
    let asked = Recorder<UserInfo>()
    let (connector, scene) = try await connector(left: 0) {
      asked.record($0)
      if asked.values.count < 3 { throw Refused() }
    }
    let sent = scene.transport.tokenForms.count
    for _ in 1...2 {
      let error = try await #require(throws: ConnectorError.self) { try await connector.accessToken() }
      #expect(error.code == .userCancelled && error.underlying is Refused && !error.needsInteraction)
    }
    #expect(scene.transport.tokenForms.count == sent)
    #expect(try await connector.users().first?.hasSession == true)
    _ = try await connector.accessToken()
    #expect(asked.values.count == 3 && scene.transport.tokenForms.count == sent + 1)
  }

  @Test("A caller that is cancelled while the user is asked leaves alone; the others get the token")
  func cancelled() async throws {
    let asked = Recorder<UserInfo>()
    let gate = Monitor(false)
    let (connector, _) = try await connector(left: 0) {
      asked.record($0)
      try await gate.wait { $0 }
    }
    let leaving = Task { try await connector.accessToken() }
    try await yielding { asked.values.count == 1 }
    let staying = Task { try await connector.accessToken() }
    leaving.cancel()
    await #expect(throws: CancellationError.self) { try await leaving.value }
    gate.withLock { $0 = true }
    _ = try await staying.value
    #expect(asked.values.count == 1)
  }

  @Test("A user who takes longer than a request may is waited for")
  func slowUser() async throws {
    let scene = Scene(holdsTime: true)
    let asked = Recorder<UserInfo>()
    let gate = Monitor(false)
    let connector = try scene.connector {
      $0.limits.deadline = .seconds(30)
      $0.beforeRefresh = {
        asked.record($0)
        try await gate.wait { $0 }
      }
    }
    try await connector.signIn()
    await scene.clock.advance(by: .seconds(3_600))
    let call = Task { try await connector.accessToken() }
    try await yielding { asked.values.count == 1 }
    await scene.clock.advance(by: .seconds(300))
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
    let (first, scene) = try await connector(left: 0, ask)
    let second = try scene.connector { $0.beforeRefresh = ask }
    let calls = [first, second].map { connector in Task { try await connector.accessToken() } }
    try await yielding { asked.values.count == 1 }
    try await yielding { scene.events.values.contains { $0.step == .refreshShared } }
    gate.withLock { $0 = true }
    for call in calls { _ = try await call.value }
    #expect(asked.values.count == 1)
  }
}
