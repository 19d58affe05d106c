import B2CConnector
import B2CTestKit
import Foundation
import TestSupport
import Testing

/// Several users, policies and clients over one cache, and the calls to an API for one of the users.
@Suite("Users", .hangLimit)
struct ConnectorUserTests {
  private let stage: SignedInScene
  private var scene: Scene { stage.scene }
  private var connector: Connector { stage.connector }
  private var alice: UserInfo { stage.alice.user }

  init() async throws { stage = try await SignedInScene(Scene(dialect: .rest), after: 0) }

  private func titles(of user: LocalUser) -> [String] { scene.tasks.tasks(of: user.id).map(\.text) }

  @Test("A call is about the named user, or else about the current one")
  func named() async throws {
    let bob = try await stage.signIn(.bob)
    let (hisName, herName) = (LocalUser.bob.displayName, LocalUser.alice.displayName)
    scene.tasks.tasks = [LocalUser.alice, .bob].map {
      LocalTask(owner: $0.id, text: $0.displayName, date: scene.clock.date)
    }
    for (user, result, name) in [(alice, stage.alice, herName), (bob.user, bob, hisName), (nil, bob, hisName)] {
      #expect(try await connector.accessToken(user: user).token == result.accessToken?.token)
      #expect(try await connector.getTaskList(user: user).map(\.itemName) == [name])
      #expect(try await connector.fetchUserInfo(user: user).name == name)
    }
    #expect(try await connector.user(id: alice.id.uppercased())?.username == LocalUser.alice.email)
    var task = try await connector.addTask(TaskItem(itemName: "Hers"), user: alice)
    #expect(titles(of: .alice).contains("Hers"))
    task.itemName = "Still hers"
    task = try await connector.updateTask(task, user: alice)
    #expect(titles(of: .alice).contains("Still hers"))
    try await connector.deleteTask(task, user: alice)
    #expect(titles(of: .alice) == [herName] && titles(of: .bob) == [hisName])
    // Nothing is sent for a user without a session.
    try await connector.signOut(alice)
    let sent = scene.tasks.requests.count
    await expectError(ConnectorError.self, .interactionRequired) { try await connector.getTaskList(user: alice) }
    #expect(scene.tasks.requests.count == sent)
    #expect(try await connector.user(id: alice.id) == nil)
  }

  @Test("A named user is looked up by the id, without listing the cache, and nobody has an empty or an unknown id")
  func namedByID() async throws {
    let cache = FailingCache()
    let stage = try await SignedInScene(Scene(cache: cache), after: 0)
    let relaunched = try stage.other()
    _ = try await relaunched.accessToken()
    cache.failsToList.withLock { $0 = true }
    let token = try await relaunched.accessToken(user: UserInfo(id: stage.alice.user.id)).token
    #expect(token == stage.alice.accessToken?.token)
    for id in ["", "nobody.nowhere"] {
      await expectError(ConnectorError.self, .interactionRequired) {
        try await relaunched.accessToken(user: UserInfo(id: id))
      }
    }
  }

  @Test("A sign-in with another policy replaces the session, even by less, which is renewed and ended with that policy")
  func twoPolicies() async throws {
    let other = try Policy("B2C_1_SignUpOrSignIn")
    let second = try await connector.signIn(policy: other, options: SignInOptions(prompt: .login))
    #expect(second.user.id == alice.id)
    #expect(try await connector.users().map(\.policyID) == [other.id])
    #expect(try await scene.cache.keys().count == 1)
    #expect(try await connector.accessToken().token == second.accessToken?.token)
    await scene.expire()
    _ = try await connector.accessToken()
    let request = try #require(scene.transport.requests.last { $0.isTokenRequest })
    #expect(request.url?.absoluteString.contains(other.id) == true)
    scene.expectRefreshes(1)
    scene.tenant.behavior.changeTokenAnswer = { $0["refresh_token"] = nil }
    let third = try await connector.signIn(policy: other, options: SignInOptions(prompt: .login))
    #expect(try await scene.record().refreshToken == nil)
    #expect(try await connector.accessToken().token == third.accessToken?.token)
    try await connector.signOut(endsBrowserSession: true)
    #expect(query(of: try #require(stage.presenter.requests.last).url)["p"] == other.id)
  }

  @Test("Clients with another client ID or authority over the same cache see nothing of each other")
  func neighbours() async throws {
    let own = try #require(try await scene.cache.keys().first)
    let neighbours = [
      TokenCacheKey(authority: "https://other.example/tenant", clientID: own.clientID, userID: own.userID),
      TokenCacheKey(authority: own.authority, clientID: "other", userID: own.userID),
    ]
    for key in neighbours { try await scene.cache.store(TokenRecord(signedInAt: .distantFuture), for: key) }
    #expect(try await connector.users().count == 1)
    let authority = try Authority("https://fabrikam.b2clogin.com/fabrikam.onmicrosoft.com")
    let other = try scene.connector(scene.settings { $0.authority = authority })
    await expectError(ConnectorError.self, .interactionRequired) { try await other.accessToken() }
    #expect(try await other.session == .signedOut)
    #expect(try await connector.accessToken().token == stage.alice.accessToken?.token)
    try await connector.signOut()
    #expect(Set(try await scene.cache.keys()) == Set(neighbours))
  }

  @Test(
    "Client IDs that differ in case have the same users at Microsoft's authorities only",
    arguments: [(LocalTenant.Shape.b2c, 1), (.entra, 1), (.openIDConnect, 0)])
  func clientCase(_ shape: LocalTenant.Shape, _ seen: Int) async throws {
    let scene = Scene(shape: shape)
    let upper = try scene.connector(scene.settings { $0.clientID = "TodoApp" })
    let lower = try scene.connector(scene.settings { $0.clientID = "todoapp" })
    let stored = TokenCacheKey(
      authority: try Authority(scene.tenant.authority(), kind: shape == .entra ? .entra : nil).cacheID,
      clientID: shape == .openIDConnect ? "TodoApp" : "todoapp", userID: "person.tenant")
    try await scene.cache.store(TokenRecord(signedInAt: scene.clock.date), for: stored)
    #expect(try await upper.users().count == 1)
    #expect(try await lower.users().count == seen)
  }

  // MARK: A change of user during a call

  /// A call that sends the user's token to an API.
  enum Call: String, CaseIterable, Sendable {
    case getTaskList, addTask, updateTask, deleteTask, dataGet, dataPost

    func run(_ connector: Connector, _ task: LocalTask, at api: URL) async throws {
      switch self {
      case .getTaskList: _ = try await connector.getTaskList()
      case .addTask: try await connector.addTask(TaskItem(itemName: "Alice's private task"))
      case .updateTask: try await connector.updateTask(TaskItem(itemName: "Alice's private task", serverID: task.id))
      case .deleteTask: try await connector.deleteTask(TaskItem(itemName: task.text, serverID: task.id))
      case .dataGet: _ = try await connector.data(for: URLRequest(url: api))
      case .dataPost:
        var request = URLRequest(url: api)
        request.httpMethod = "POST"
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        request.httpBody = Data(#"{"task":"Alice's private task"}"#.utf8)
        _ = try await connector.data(for: request)
      }
    }
  }

  @Test("A request is repeated with a token of the same user or not at all", arguments: Call.allCases, [true, false])
  func changed(_ call: Call, isSignedOut: Bool) async throws {
    await scene.clock.advance(by: .seconds(120))
    let task = LocalTask(owner: LocalUser.bob.id, text: "Bob's task", date: scene.clock.date)
    scene.tasks.tasks = [task]
    scene.tasks.faults = [
      LocalFault(on: .any, times: 1, .wait(stage.gate)),
      LocalFault(on: .any, times: 1, .respond(LocalResponse(status: 401))),
    ]
    let running = Task { try await call.run(connector, task, at: scene.tasks.url) }
    await stage.gate.waitForArrivals(1)
    if isSignedOut { try await connector.signOut() }
    let bobsToken = try await stage.signIn(.bob).accessToken?.token.value
    stage.gate.open()
    let result = await running.result
    #expect(!scene.tasks.requests.map(\.bearerToken).contains(bobsToken))
    #expect(scene.tasks.tasks(of: LocalUser.bob.id) == [task])
    #expect(scene.tasks.requests.count == (isSignedOut ? 1 : 2))
    if isSignedOut {
      let error = try #require(throws: ConnectorError.self) { try result.get() }
      #expect(error.code == .interactionRequired && error.needsInteraction && !error.outcomeIsUnknown)
      #expect(try await connector.getTaskList().map(\.itemName) == ["Bob's task"])
    } else {
      // A call about Bob's task ends with a 404 for Alice.
      if [.addTask, .dataPost].contains(call) {
        #expect(throws: Never.self) { try result.get() }
        #expect(titles(of: .alice) == ["Alice's private task"])
      }
      let alicesToken = try await connector.accessToken(user: alice).token.value
      #expect(scene.tasks.requests.map(\.bearerToken).contains(alicesToken))
    }
  }
}
