import B2CConnector
import B2CTestKit
import Foundation

/// A process of the app: its connectors, its cache object, and what it should know about who is signed in.
///
/// All simulated processes live in one real one. A killed one goes on for a moment in a vacuum: whatever it asks of
/// network, store or page never comes back.
final class AppProcess: @unchecked Sendable {
  let number: Int
  let world: World
  private(set) var isDead = false
  var apps: [App] = []
  /// Replaced at once by that of the store, which needs a process to begin with.
  private(set) var cache: any TokenCache = InMemoryTokenCache()
  private(set) var neighbour: Neighbour?
  /// Who is current here, as far as that is certain.
  var presence = Presence()
  /// The last refresh of each grant, and until when there may be no other while its token lasts.
  var holds: [Int: Hold] = [:]
  /// The last token of each grant.
  var tokens: [Int: Hold] = [:]
  /// When each person last agreed to a refresh, and when somebody refused one.
  private(set) var agreements: [String: UInt64] = [:]
  private(set) var refusals: [UInt64] = []
  /// When the store last refused it something, by the uptime; 0 for never.
  var lastStoreFault: UInt64 = 0
  /// The calls during which it did, or whose transport was closed: others may have joined what they had begun.
  var refusedCalls: Set<Int> = []
  private(set) var isSuspended = false
  private var suspendedAt: UInt64 = 0
  private var pastSuspensions: UInt64 = 0
  private var waiting: [UnsafeContinuation<Void, Never>] = []

  init(_ number: Int, _ world: World) throws {
    self.number = number
    self.world = world
    cache = try world.store.makeCache(for: self)
    for index in 0..<world.shape.connectors { apps.append(try App(index + 1, self, cache)) }
    if world.shape.hasNeighbour { neighbour = try Neighbour(self) }
  }

  /// A person is asked before a refresh, and thinks about it.
  func ask(_ person: String) async throws {
    await gate()
    try await Task.sleep(for: .milliseconds(machine.draw.below(3000)))
    await gate()
    guard !machine.draw.happens(world.unwillingness) else {
      refusals.append(machine.uptime)
      throw DriverError()
    }
    agreements[person] = machine.uptime
  }

  /// Waits while the process is suspended, and for ever once it is dead.
  func gate() async {
    while isSuspended, !isDead { await withUnsafeContinuation { waiting.append($0) } }
    if isDead { await withUnsafeContinuation { world.graveyard.append($0) } }
  }

  /// How long it was suspended so far, in nanoseconds.
  var timeSuspended: UInt64 { pastSuspensions + (isSuspended ? machine.uptime - suspendedAt : 0) }

  func suspend() {
    if !isSuspended { suspendedAt = machine.uptime }
    isSuspended = true
    world.lastSuspension = machine.uptime
  }

  func resume() {
    pastSuspensions = timeSuspended
    if isSuspended { world.lastSuspension = machine.uptime }
    isSuspended = false
    let ready = waiting
    waiting = []
    for continuation in ready { continuation.resume() }
  }

  func kill() {
    isDead = true
    if isSuspended { world.lastSuspension = machine.uptime }
    world.graveyard += waiting
    waiting = []
    world.store.disk.release(self)
    for app in apps { app.stopObserving() }
  }
}

/// The clock of a process: while it is suspended its timers stand still, and those that are over go off late.
struct ProcessClock: Clock, Sendable {
  let process: AppProcess

  var now: ContinuousClock.Instant { .now }
  var minimumResolution: Duration { .nanoseconds(1) }

  func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws {
    // For a sleep with a tolerance the runtime makes a timer of another kind, which does not come to the machine.
    try await ContinuousClock().sleep(until: deadline, tolerance: nil)
    await process.gate()
  }
}

/// Who is current in a process, by the sign-ins and sign-outs that its calls reported.
struct Presence {
  enum Current: Equatable {
    case nobody
    case person(String)
    case unknown
  }

  private(set) var current = Current.nobody
  /// Changes with each sign-in and sign-out, at its start and at its end.
  private(set) var version = 0
  private var underWay = 0
  /// Whether a sign-in or sign-out is under way.
  var isChanging: Bool { underWay > 0 }

  /// A sign-in or sign-out begins; returns who was current before.
  mutating func begin() -> Current {
    defer { forget() }
    underWay += 1
    return underWay == 1 ? current : .unknown
  }

  /// A sign-in or sign-out has ended; what comes of two at once is not certain.
  mutating func end(_ result: Current, begunAt start: Int) {
    current = version == start ? result : .unknown
    version += 1
    underWay -= 1
  }

  mutating func forget() { set(.unknown) }

  mutating func set(_ value: Current) {
    version += 1
    current = value
  }
}

/// One connector with the parts that the app gives it.
final class App: @unchecked Sendable {
  let number: Int
  /// Not weak, since a process owns its apps and lives as long as the world.
  let process: AppProcess
  private(set) var connector: Connector?
  let transport: AppTransport
  /// The states that `sessionUpdates` brought.
  var states: [SessionState] = []
  private var observer: Task<Void, Never>?
  /// Whether it may use refresh tokens; in a world with a reader the last connector of a process may not.
  let mayRefresh: Bool

  var name: String { "p\(process.number)c\(number)" }

  init(_ number: Int, _ process: AppProcess, _ cache: any TokenCache) throws {
    self.number = number
    self.process = process
    let world = process.world
    let mayRefresh = !world.shape.hasReader || number < world.shape.connectors
    self.mayRefresh = mayRefresh
    transport = AppTransport(process)
    var environment = Connector.Environment()
    environment.cache = cache
    environment.transport = transport
    environment.presenter = SimulatedPage(process: process)
    environment.clock = ProcessClock(process: process)
    environment.now = { world.deviceNow }
    // The description cuts a long policy, and half a secret is one too.
    environment.onEvent = { [weak world] event in
      world?.judgeText("\(event) \(event.policyID ?? "")")
    }
    let made = try Connector(settings: world.settings, environment: environment) { options in
      options.taskDialect = .rest
      options.allowedAPIs = [LocalTaskServer.inMemoryOrigin]
      options.refreshesTokens = mayRefresh
      if world.shape.asks { options.beforeRefresh = { [weak process] in try await process?.ask($0.subject) } }
    }
    connector = made
    let updates = made.sessionUpdates
    observer = Task.detached { [weak self] in
      for await state in updates { self?.states.append(state) }
    }
  }

  func stopObserving() { observer?.cancel() }

  /// Lets go of the connector.
  func release() {
    stopObserving()
    connector = nil
  }
}
