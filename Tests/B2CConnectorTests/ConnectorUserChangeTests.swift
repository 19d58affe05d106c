import B2CConnector
import B2CTestKit
import Foundation
import TestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A change of user during each call to an API: a token travels with its user.
@Suite("A change of user during a call", .hangLimit)
struct ConnectorUserChangeTests {
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

  /// Alice is signed in, Bob's list has a task, and the API answers the first request with 401 when the gate opens.
  private struct Stage {
    let scene = Scene(dialect: .rest)
    let presenter: ScriptedPresenter
    let connector: Connector
    let answer = TestGate()
    let task: LocalTask

    init() throws {
      presenter = scene.script(.signIn(.alice))
      connector = try Connector(settings: scene.settings(), environment: scene.environment(presenter: presenter)) {
        $0.taskDialect = .rest
      }
      task = LocalTask(owner: LocalUser.bob.id, text: "Bob's task", date: scene.clock.date)
      scene.tasks.tasks = [task]
      scene.tasks.faults = [
        LocalFault(on: .any, times: 1, .wait(answer)),
        LocalFault(on: .any, times: 1, .respond(LocalResponse(status: 401))),
      ]
    }

    /// Starts the call; it has reached the API when this returns.
    func start(_ call: Call) async -> Task<Void, any Error> {
      let running = Task { [connector, task, scene] in
        try await call.run(connector, task, at: scene.tasks.url)
      }
      await answer.waitForArrivals(1)
      return running
    }

    func signInAsBob() async throws {
      presenter.follow(.signIn(.bob))
      try await connector.doPolicy(.signIn, options: SignInOptions(prompt: .login))
    }

    var senders: Set<String?> { Set(scene.tasks.requests.map(\.bearerToken)) }
  }

  @Test("After the user signed out, nothing is sent with the token of the next one", arguments: Call.allCases)
  func signedOut(_ call: Call) async throws {
    let stage = try Stage()
    try await stage.connector.doPolicy(.signIn)
    let running = await stage.start(call)
    try await stage.connector.signOut()
    try await stage.signInAsBob()
    stage.answer.open()
    let error = try await #require(throws: ConnectorError.self) { try await running.value }
    #expect(error.code == .interactionRequired && error.needsInteraction && !error.outcomeIsUnknown)
    #expect(stage.scene.tasks.tasks == [stage.task])
    #expect(stage.scene.tasks.requests.count == 1)
    // Bob is as he was.
    #expect(try await stage.connector.getTaskList().map(\.itemName) == ["Bob's task"])
  }

  @Test("While the user is still there, the request is repeated for it", arguments: Call.allCases)
  func stillThere(_ call: Call) async throws {
    let stage = try Stage()
    try await stage.connector.doPolicy(.signIn)
    let alice = try #require(try await stage.connector.users().first)
    await stage.scene.clock.advance(by: .seconds(120))
    let running = await stage.start(call)
    try await stage.signInAsBob()
    let bobsToken = try await stage.connector.accessToken().token.value
    stage.answer.open()
    // Of a task that is not hers she hears 404.
    let result = await running.result
    #expect(stage.scene.tasks.requests.count == 2)
    #expect(!stage.senders.contains(bobsToken))
    #expect(stage.scene.tasks.tasks(of: LocalUser.bob.id) == [stage.task])
    if [.addTask, .dataPost].contains(call) {
      #expect(throws: Never.self) { try result.get() }
      #expect(stage.scene.tasks.tasks(of: LocalUser.alice.id).map(\.text) == ["Alice's private task"])
    }
    #expect(stage.senders.contains(try await stage.connector.accessToken(user: alice).token.value))
  }
}
