import B2CConnector
import B2CLoopback
import B2CTestKit
import Foundation
import TestSupport

/// A tenant and a task server behind fronts that can misbehave, and an origin that nobody may ask.
struct FaultWorld: Sendable {
  /// A deadline that is short enough to wait for and long enough for a busy machine.
  static let deadline = Duration.seconds(2)
  static let limits = TransportLimits(maximumBodyBytes: 256 << 10, deadline: deadline, idleTimeout: .seconds(5))
  private static let transport = ProofTransport.make()

  let tenantFront: FaultyFront
  let taskFront: FaultyFront
  /// The origin that redirects lead to, and the number of requests that it got.
  private let other: LoopbackListener
  var elsewhere: URL { get throws { try url("http://127.0.0.1:\(other.port)/elsewhere") } }
  let redirected = Locked(0)
  let tasks: LocalTaskServer
  private let tenant = LocalTenant()

  init() async throws {
    // Microsoft's services take a refresh token that was spent already. With a server that does not, an answer that is
    // lost after it was made loses the session, whatever a client does.
    tenant.behavior.refreshTokenReuse = .allowed
    // The task server knows the tenant by its own name; what the front is called is not its affair.
    tenant.behavior.changeAccessTokenClaims = { [issuer = tenant.issuer] in $0["iss"] = .string(issuer) }
    tasks = LocalTaskServer(tenant: tenant, dialect: .rest)
    tenantFront = try await FaultyFront { [tenant] in try await tenant.answer($0) }
    taskFront = try await FaultyFront { [tasks] in try await tasks.answer($0) }
    other = try await LoopbackListener { [redirected] exchange in
      redirected.withLock { $0 += 1 }
      exchange.close()
    }
  }

  func stop() async {
    await tenantFront.close()
    await taskFront.close()
    await other.close()
  }

  /// Every secret that was sent, or made by the tenant, also in answers that a fault held back.
  func secrets() -> Set<String> {
    var secrets = tenantFront.secrets.union(taskFront.secrets).union([LocalUser.alice.password.value])
    for recorded in tenant.requests {
      let body = recorded.response.flatMap { try? JSONDecoder().decode(JSONValue.self, from: $0.body).object } ?? [:]
      secrets.formUnion(["access_token", "refresh_token", "id_token"].compactMap { body[$0]?.string })
    }
    return secrets
  }

  /// A connector with short limits, and retries so quick that every try falls within the deadline.
  func connector(
    _ cache: any TokenCache, _ presenter: any SignInPresenter,
    onEvent: @escaping @Sendable (Connector.Event) -> Void = { _ in }
  ) throws -> Connector {
    var settings = try tenant.settings()
    let authority = tenant.authority(form: .query).replacingOccurrences(
      of: tenant.inMemoryOrigin.absoluteString, with: tenantFront.url.absoluteString)
    settings.authority = try Authority(authority)
    settings.policies = .init(emailSignIn: try Policy("B2C_1_SignIn"))
    settings.taskWebAPI = taskFront.url.appendingPathComponent("tasks")
    let environment = Connector.Environment(
      presenter: presenter, cache: cache, transport: Self.transport, onEvent: onEvent)
    return try Connector(settings: settings, environment: environment) {
      $0.taskDialect = .rest
      $0.limits = Self.limits
      $0.taskLimits = Self.limits
      $0.retry = RetryPolicy(maximumDelay: .milliseconds(20))
    }
  }
}

/// A user who is signed in and has a task, right before a fault.
struct FaultScene: Sendable {
  let world: FaultWorld
  /// What goes wrong once, when the user has left the sign-in page.
  let whenLeft = Locked<(@Sendable () async -> Void)?>(nil)
  private let presenter: ClosurePresenter
  private let cache = InMemoryTokenCache.memory()
  private let connector: Connector
  private let task: TaskItem
  private let events = Locked("")

  private static let added = "Feed the cat"

  init(_ world: FaultWorld) async throws {
    self.world = world
    let user = ScriptedPresenter(transport: URLSessionTransport(), .signIn(.alice))
    presenter = ClosurePresenter { [whenLeft] request in
      let url = try await user.present(request)
      await whenLeft.withLock { $0.take() }?()
      return url
    }
    connector = try world.connector(cache, presenter) { [events] event in
      events.withLock {
        $0 += "\(event) "
        dump(event, to: &$0)
      }
    }
    try await connector.signIn()
    task = try await connector.addTask(TaskItem(itemName: "Buy milk"))
  }

  /// Makes the call that sends the request that the fault is for.
  func run(_ operation: FaultOperation) async -> FaultEnding {
    await FaultEnding.of {
      switch operation {
      case .metadata, .keys:
        // A client that knows nothing of the tenant yet. A refresh could do without these documents, a sign-in cannot.
        try await world.connector(cache, presenter).signIn()
      case .refresh: _ = try await connector.accessToken(forceRefresh: true)
      case .code: try await connector.signIn()
      case .list:
        guard try await connector.getTaskList().map(\.id) == [task.id] else { throw Failure("another list") }
      case .add:
        guard try await connector.addTask(TaskItem(itemName: Self.added)).itemName == Self.added else {
          throw Failure("another task")
        }
      case .delete: try await connector.deleteTask(task)
      }
    }
  }

  /// The promises that a fault must not break, looked at when it is over.
  func promises(after ending: FaultEnding, _ operation: FaultOperation, endsSession: Bool) async -> [String] {
    let known = world.secrets()
    var broken = changesToTasks(ending, operation)
    // Two of a sign-in and four tokens, at least: those that the scene began with.
    if known.count < 6 { broken.append("only \(known.count) secrets are known") }
    let told = Data((ending.text + events.withLock { $0 }).utf8)
    if let trace = SecretSweep(known).trace(in: told) { broken.append("a secret is in an error or event: …\(trace)…") }
    if world.redirected.withLock({ $0 }) > 0 { broken.append("a redirect was followed") }
    let isSignedIn = await hasRefreshToken
    if endsSession && operation == .refresh { return broken + (isSignedIn ? ["a session that has ended is kept"] : []) }
    guard isSignedIn else { return broken + ["the session is lost"] }
    let after = await Watchdog.run(FaultsProof.watchdog) {
      await FaultEnding.of {
        _ = try await connector.accessToken(forceRefresh: true)
        _ = try await connector.getTaskList()
      }
    }
    if after?.outcome != "value" { broken.append("unusable afterwards: \(after?.outcome ?? "HANG")") }
    return broken
  }

  private var hasRefreshToken: Bool {
    get async {
      for key in await cache.keys() {
        if await cache.record(for: key)?.refreshToken != nil { return true }
      }
      return false
    }
  }

  /// An add happens once at most, and says so when it may have happened; nothing goes that was not meant.
  private func changesToTasks(_ ending: FaultEnding, _ operation: FaultOperation) -> [String] {
    var broken: [String] = []
    let texts = world.tasks.tasks.map(\.text)
    let count = texts.count { $0 == Self.added }
    if count > 1 { broken.append("added \(count) times") }
    if operation == .add, count == 1, ending.outcome != "value", !ending.outcomeIsUnknown {
      broken.append("stored, but the error says that it is not")
    }
    if operation != .delete, !texts.contains(task.itemName) { broken.append("a task is gone") }
    return broken
  }
}

/// A request of the package that can meet a fault; the table's columns.
enum FaultOperation: String, CaseIterable, Sendable {
  case metadata
  case keys
  case code = "token (code)"
  case refresh = "token (refresh)"
  case list
  case add
  case delete

  var target: LocalFaultTarget {
    switch self {
    case .metadata: .metadata
    case .keys: .keys
    case .code: .tokenCode
    case .refresh: .tokenRefresh
    case .list: .method("GET")
    case .add: .method("POST")
    case .delete: .method("DELETE")
    }
  }

  var isOfTaskAPI: Bool { [.list, .add, .delete].contains(self) }
  /// Whether the request is sent again when an answer is lost or bad for a while.
  var isRepeated: Bool { [.metadata, .keys, .list, .delete].contains(self) }
}

/// The documented outcome of a fault for each operation: the error's code, or `value`.
struct FaultExpectation: Sendable, ExpressibleByStringLiteral {
  private var codes: [FaultOperation: String]

  /// Makes an expectation for metadata and keys, for the token endpoint, and for the task API.
  init(_ documents: String, _ tokens: String, _ tasks: String) {
    codes = [
      .metadata: documents, .keys: documents, .code: tokens, .refresh: tokens, .list: tasks, .add: tasks,
      .delete: tasks,
    ]
  }

  init(stringLiteral code: String) { self.init(code, code, code) }

  func but(_ operation: FaultOperation, _ code: String) -> FaultExpectation {
    var copy = self
    copy.codes[operation] = code
    return copy
  }

  subscript(operation: FaultOperation) -> String { codes[operation] ?? "" }
}

struct FaultEnding: Sendable {
  /// The error's code, `value`, `cancelled`, or the type of an error that should not be.
  let outcome: String
  /// Everything that the error tells.
  var text = ""
  /// Whether the error says that the change may have been made.
  var outcomeIsUnknown = false

  static func of(_ body: @Sendable () async throws -> Void) async -> FaultEnding {
    do {
      try await body()
      return FaultEnding(outcome: "value")
    } catch is CancellationError {
      return FaultEnding(outcome: "cancelled")
    } catch {
      var text = "\(error) \(String(reflecting: error)) \(error.localizedDescription) \((error as NSError).userInfo) "
      dump(error, to: &text)
      let known = error as? ConnectorError
      if let underlying = known?.underlying { dump(underlying, to: &text) }
      let outcome = known?.code.rawValue ?? "untyped \(type(of: error)): \(error)"
      return FaultEnding(outcome: outcome, text: text, outcomeIsUnknown: known?.outcomeIsUnknown ?? false)
    }
  }
}
