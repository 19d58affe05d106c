import B2CConnector
import B2CCore
import B2CHTTP
import B2CTestKit
import Foundation
import TestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// What is known of a change when its transport is closed, or no token is left for its second try.
@Suite("Closing during a call", .descriptors(), .timeLimit(.minutes(10)))
struct ConnectorClosingTests {
  /// A call to an API over sockets, and whether it changes something.
  enum Call: String, CaseIterable, Sendable {
    case getTaskList, addTask, updateTask, deleteTask, dataGet, dataPost

    var mayChangeSomething: Bool { ![.getTaskList, .dataGet].contains(self) }

    func run(_ connector: Connector, _ task: LocalTask, at api: URL) async throws {
      switch self {
      case .getTaskList: _ = try await connector.getTaskList()
      case .addTask: try await connector.addTask(TaskItem(itemName: "new"))
      case .updateTask: try await connector.updateTask(TaskItem(itemName: "new", serverID: task.id))
      case .deleteTask: try await connector.deleteTask(TaskItem(itemName: task.text, serverID: task.id))
      case .dataGet: _ = try await connector.data(for: URLRequest(url: api), limits: .patient)
      case .dataPost:
        var request = URLRequest(url: api)
        request.httpMethod = "POST"
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        request.httpBody = Data(#"{"task":"new"}"#.utf8)
        _ = try await connector.data(for: request, limits: .patient)
      }
    }
  }

  /// Servers on this machine's ports, and a connector over a transport of its own.
  private struct Scene {
    let tenant = LocalTenant()
    let server: LocalTaskServer
    let transport = URLSessionTransport()
    let connector: Connector
    let task: LocalTask

    init() async throws {
      server = LocalTaskServer(tenant: tenant, dialect: .rest)
      try await tenant.start()
      try await server.start()
      var environment = OAuthEnvironment()
      environment.presenter = ScriptedPresenter(transport: LocalNetwork(tenant), .signIn(.alice))
      environment.cache = InMemoryTokenCache()
      environment.transport = transport
      connector = try Connector(settings: tenant.settings(taskServer: server), environment: environment) {
        $0.taskDialect = .rest
        // No clock ends a call here, however slow the machine is.
        $0.taskLimits = .patient
        $0.limits = .patient
      }
      try await connector.doPolicy(.signIn)
      task = LocalTask(owner: LocalUser.alice.id, text: "old", date: Date())
      server.tasks = [task]
    }

    func stop() async {
      await tenant.stop()
      await server.stop()
    }
  }

  @Test("Of a change that was under way the outcome is unknown", arguments: Call.allCases)
  func during(_ call: Call) async throws {
    let scene = try await Scene()
    let answer = TestGate()
    scene.server.faults = [LocalFault(on: .any, .holdAnswer(answer))]
    let running = Task { try await call.run(scene.connector, scene.task, at: scene.server.url) }
    await answer.waitForArrivals(1)
    scene.transport.close()
    let error = try await #require(throws: ConnectorError.self) { try await running.value }
    #expect(error.code == .network && !error.isRetryable)
    #expect(error.message.contains("closed"))
    #expect(error.outcomeIsUnknown == call.mayChangeSomething)
    // It was carried out.
    #expect((scene.server.tasks == [scene.task]) == !call.mayChangeSomething)
    answer.open()
    await scene.stop()
  }

  @Test("What begins after the closing was certainly not carried out", arguments: Call.allCases)
  func before(_ call: Call) async throws {
    let scene = try await Scene()
    scene.transport.close()
    let error = try await #require(throws: ConnectorError.self) {
      try await call.run(scene.connector, scene.task, at: scene.server.url)
    }
    #expect(error.code == .network && !error.outcomeIsUnknown && !error.isRetryable)
    #expect(scene.server.tasks == [scene.task])
    await scene.stop()
  }

  @Test("A deletion that may have happened stays unknown when no token is left for its second try")
  func noTokenForTheSecondTry() async throws {
    let world = World(dialect: .rest)
    let connector = try Connector(
      settings: world.settings(), environment: world.environment(waitingOn: TestClock())
    ) {
      $0.taskDialect = .rest
      $0.retry = RetryPolicy(maximumDelay: .zero)
    }
    try await connector.doPolicy(.signIn)
    let task = try await connector.addTask(TaskItem(itemName: "old"))
    world.tenant.revokeGrants()
    await world.clock.advance(by: .seconds(120))
    // A gateway hides the first answer; the API refuses the second try.
    let second = LocalFaultTarget { [tries = Locked(0)] request in
      request.method == "DELETE"
        && tries.withLock { tries in
          tries += 1
          return tries == 2
        }
    }
    world.tasks.faults = [
      LocalFault(on: .delete, times: 1, .change { $0 = LocalResponse(status: 502) }),
      LocalFault(on: second, .respond(LocalResponse(status: 401))),
    ]
    let error = try await #require(throws: ConnectorError.self) { try await connector.deleteTask(task) }
    #expect(error.code == .interactionRequired && error.needsInteraction)
    #expect(error.outcomeIsUnknown)
    #expect(world.tasks.tasks.isEmpty)
  }
}
