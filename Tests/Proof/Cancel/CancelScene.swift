import B2CConnector
import B2CTestKit
import Foundation

/// Somebody who is signed in and makes calls that are cancelled.
struct CancelScene: Sendable {
  /// What is called.
  enum Call: String, CaseIterable, Sendable {
    case list
    case token = "token (refresh)"
    case signIn = "sign-in (metadata, keys)"
  }

  /// How one cancelled call ended.
  struct Ending: Sendable {
    /// `nil` when it did not come back.
    let outcome: String?
    /// From the cancellation to the return; zero when the call was over before.
    let seconds: Double
  }

  private let world: FaultWorld
  private let cache: any TokenCache
  private let presenter = ArmingPresenter()
  private let engine: OAuthClient
  private let connector: Connector

  init(_ world: FaultWorld, isBroken: Bool) async throws {
    self.world = world
    cache = isBroken ? ForgetfulTokenCache() : InMemoryTokenCache()
    engine = try world.engine(cache, presenter)
    connector = try world.connector(cache, presenter)
    try await engine.signIn()
    try await connector.addTask(TaskItem(itemName: "Buy milk"))
  }

  /// How long a sign-in takes that is not cancelled.
  func microsecondsOfSignIn() async throws -> Int {
    let start = ContinuousClock.now
    try await make(.signIn)
    return Int(start.duration(to: .now) / .microseconds(1))
  }

  /// Makes a call and cancels it after a time.
  func cancel(_ call: Call, after pause: Duration) async throws -> Ending {
    let clock = ContinuousClock()
    let task = Task { () -> (FaultEnding, ContinuousClock.Instant) in
      let ending = await FaultEnding.of { try await make(call) }
      return (ending, clock.now)
    }
    if pause > .zero { try await clock.sleep(for: pause) }
    let cancelled = clock.now
    task.cancel()
    guard let (ending, end) = await Watchdog.run(CancelProof.watchdog, { await task.value }) else {
      return Ending(outcome: nil, seconds: CancelProof.watchdog / .seconds(1))
    }
    return Ending(outcome: ending.outcome, seconds: max(0, cancelled.duration(to: end) / .seconds(1)))
  }

  /// Whether a token is available and tasks can be listed, as if nothing had been.
  func isUsable() async -> String {
    let ending = await Watchdog.run(CancelProof.watchdog) {
      await FaultEnding.of {
        _ = try await engine.accessToken(options: TokenOptions(forceRefresh: true))
        guard try await connector.getTaskList().map(\.itemName) == ["Buy milk"] else { throw ProofError("other tasks") }
      }
    }
    return ending?.outcome ?? "HANG"
  }

  private func make(_ call: Call) async throws {
    switch call {
    case .list: _ = try await connector.getTaskList()
    case .token: _ = try await engine.accessToken(options: TokenOptions(forceRefresh: true))
    // A client that knows nothing of the tenant yet; a refresh could do without metadata and keys, a sign-in cannot.
    case .signIn: _ = try await world.engine(InMemoryTokenCache(), presenter).signIn()
    }
  }
}
