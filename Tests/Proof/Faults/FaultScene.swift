import B2CConnector
import B2CTestKit
import Foundation

/// Somebody who is signed in and has a task, right before a fault.
struct FaultScene: Sendable {
  let world: FaultWorld
  let presenter = ArmingPresenter()
  let cache = InMemoryTokenCache()
  private let engine: OAuthClient
  private let connector: Connector
  private let task: TaskItem
  private let secrets: [String]

  private static let added = "Feed the cat"

  /// Signs in and adds a task.
  init(_ world: FaultWorld) async throws {
    self.world = world
    engine = try world.engine(cache, presenter)
    connector = try world.connector(cache, presenter)
    try await engine.signIn()
    task = try await connector.addTask(TaskItem(itemName: "Buy milk"))
    secrets = try await Self.secrets(in: cache)
  }

  /// Calls what sends the request that the fault is for.
  func run(_ operation: FaultOperation) async -> FaultEnding {
    await FaultEnding.of {
      switch operation {
      case .metadata, .keys:
        // A client that knows nothing of the tenant yet. A refresh could do without these documents, a sign-in cannot.
        _ = try await world.engine(cache, presenter).signIn()
      case .refresh: _ = try await engine.accessToken(options: TokenOptions(forceRefresh: true))
      case .code: _ = try await engine.signIn()
      case .list:
        guard try await connector.getTaskList().map(\.id) == [task.id] else { throw ProofError("another list") }
      case .add:
        guard try await connector.addTask(TaskItem(itemName: Self.added)).itemName == Self.added else {
          throw ProofError("another task")
        }
      case .delete: try await connector.deleteTask(task)
      }
    }
  }

  /// The promises that a fault must not break, looked at when it is over.
  func promises(after ending: FaultEnding, _ operation: FaultOperation, endsSession: Bool) async -> [String] {
    var broken: [String] = []
    let known = secrets + ((try? await Self.secrets(in: cache)) ?? [])
    if known.contains(where: ending.text.contains) { broken.append("a secret is in the error") }
    if world.other.hasSeen(known) { broken.append("a credential went to another origin") }
    if world.other.requestCount > 0 { broken.append("a redirect was followed") }
    broken += changesToTasks(ending, operation)
    let isSignedIn = ((try? await cache.allRecords()) ?? []).contains { $0.refreshToken != nil }
    if endsSession && operation == .refresh {
      if isSignedIn { broken.append("a session that has ended is kept") }
      return broken
    }
    guard isSignedIn else { return broken + ["the session is lost"] }
    let after = await Watchdog.run(FaultsProof.watchdog) {
      await FaultEnding.of {
        _ = try await engine.accessToken(options: TokenOptions(forceRefresh: true))
        _ = try await connector.getTaskList()
      }
    }
    if after?.outcome != "value" { broken.append("unusable afterwards: \(after?.outcome ?? "HANG")") }
    return broken
  }

  /// An add happens once at most, and says so when it may have happened; nothing goes that was not meant.
  private func changesToTasks(_ ending: FaultEnding, _ operation: FaultOperation) -> [String] {
    var broken: [String] = []
    let texts = world.taskServer.tasks.map(\.text)
    let count = texts.count { $0 == Self.added }
    if count > 1 { broken.append("added \(count) times") }
    if operation == .add, count == 1, ending.outcome != "value", !ending.outcomeIsUnknown {
      broken.append("stored, but the error says that it is not")
    }
    if operation != .delete, !texts.contains(task.itemName) { broken.append("a task is gone") }
    return broken
  }

  private static func secrets(in cache: InMemoryTokenCache) async throws -> [String] {
    try await cache.allRecords().flatMap { record in
      [record.refreshToken, record.idToken].compactMap { $0?.value } + record.accessTokens.map(\.token.value)
    }
  }
}

extension InMemoryTokenCache {
  /// Every record.
  func allRecords() async throws -> [TokenRecord] {
    var records: [TokenRecord] = []
    for key in await keys() {
      if let record = await record(for: key) { records.append(record) }
    }
    return records
  }
}
