import B2CConnector
import B2CCore
import B2CTestKit
import B2CTokenCache
import Foundation
import TestSupport

/// Cancels calls at random instants and looks whether each comes back and the session lives.
struct CancelProof: ProofCommand {
  static let name = "cancel"
  static let summary = "10,000 cancellations at random instants: none hangs, the session lives"

  /// A call that is not back by then hangs.
  static let watchdog = Duration.seconds(10)
  private static let lanes = 12

  /// Most instants fall within the first requests.
  private static func pause(_ die: Int, _ longest: Int) -> Int { die == 0 ? longest : die < 5 ? 60_000 : 12_000 }

  static func run(_ options: ProofOptions) async throws -> Bool {
    let count = options.isQuick ? 1_000 : 10_000
    let seed = try options.values.isEmpty ? 7 : UInt64(options.number(0, "the seed"))
    let random = Locked(SplitMix64(seed: seed))
    // A token that is spent twice would end the session here.
    let world = try await FaultWorld(reuse: .revokesGrant) { .microseconds(random.withLock { Int64($0.below(3_000)) }) }
    let scene = try await CancelScene(world, isBroken: options.isBroken)
    // Some have to get as far as a sign-in's last request, on a busy machine too, where each lane waits for the others.
    let longest = max(60_000, try await lanes * scene.microsecondsOfSignIn())
    let start = ContinuousClock.now
    var total = CancelCount()
    try await withThrowingTaskGroup(of: CancelCount.self) { group in
      let left = Locked(count)
      for _ in 0..<lanes {
        group.addTask {
          var count = CancelCount()
          while left.withLock({ left in
            left -= 1
            return left >= 0
          }) {
            let (call, microseconds) = random.withLock { random in
              (CancelScene.Call.allCases[random.below(3)], random.below(pause(random.below(16), longest)))
            }
            count.note(call, try await scene.cancel(call, after: .microseconds(microseconds)))
          }
          return count
        }
      }
      for try await count in group { total.add(count) }
    }
    let seconds = start.duration(to: .now) / .seconds(1)
    let after = await scene.isUsable()
    total.show()
    let counters = world.tenant.counters
    print(
      """

      \(count) cancellations (seed \(seed)) in \(String(format: "%.0f", seconds)) s; the server saw \
      \(counters.refreshes) refreshes, \(counters.reusedRefreshTokens) with a refresh token that was used before, \
      \(counters.metadataRequests) requests for metadata, \(counters.keysRequests) for keys and \
      \(counters.codeRequests) with a code.
      From a cancellation to the return: half within \(total.milliseconds(of: 0.5)) ms, \
      99 % within \(total.milliseconds(of: 0.99)) ms, the slowest \(total.milliseconds(of: 1)) ms.
      The session afterwards: \(after).
      """)
    await world.stop()
    var broken = Set(total.untyped).sorted()
    if total.hangs > 0 { broken.append("\(total.hangs) calls did not come back") }
    if after != "value" { broken.append("the session afterwards: \(after)") }
    if counters.reusedRefreshTokens > 0 { broken.append("a refresh token was used twice") }
    // Two sign-ins are not cancelled: that of the scene and the one that is timed.
    if counters.metadataRequests < 3 || counters.keysRequests < 3 {
      broken.append("no cancelled sign-in got to its keys")
    }
    for line in broken { print("BROKEN  \(line)") }
    return broken.isEmpty
  }
}

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

/// How many cancelled calls ended how.
struct CancelCount: Sendable {
  private var counts: [CancelScene.Call: [String: Int]] = [:]
  private(set) var hangs = 0
  /// How long the cancelled calls took to come back, in seconds.
  private var returns: [Double] = []
  private(set) var untyped: [String] = []

  mutating func note(_ call: CancelScene.Call, _ ending: CancelScene.Ending) {
    if ending.outcome != "value" { returns.append(ending.seconds) }
    let outcome = ending.outcome ?? "HANG"
    if ending.outcome == nil { hangs += 1 }
    if outcome.hasPrefix("untyped") { untyped.append(outcome) }
    counts[call, default: [:]][outcome, default: 0] += 1
  }

  mutating func add(_ other: CancelCount) {
    counts.merge(other.counts) { $0.merging($1, uniquingKeysWith: +) }
    hangs += other.hangs
    returns += other.returns
    untyped += other.untyped
  }

  /// The time that this part of the cancelled calls came back within, in milliseconds.
  func milliseconds(of part: Double) -> String {
    guard !returns.isEmpty else { return "0" }
    let index = min(returns.count - 1, Int(Double(returns.count) * part))
    return String(format: "%.1f", returns.sorted()[index] * 1_000)
  }

  /// Prints the table.
  func show() {
    var table = Table("call", "outcome", "times")
    for call in CancelScene.Call.allCases {
      for (outcome, count) in (counts[call] ?? [:]).sorted(by: { $0.key < $1.key }) {
        table.add(call.rawValue, outcome, "\(count)")
      }
    }
    table.show()
  }
}

/// What `--broken` puts in the memory cache's place: it keeps the first record of a user and says that it keeps later ones.
struct ForgetfulTokenCache: SharedTokenCache {
  private let kept = InMemoryTokenCache()

  func record(for key: TokenCacheKey) async throws -> TokenRecord? { await kept.record(for: key) }

  func store(_ record: TokenRecord, for key: TokenCacheKey) async throws {
    if await kept.record(for: key) == nil { await kept.store(record, for: key) }
  }

  func removeRecord(for key: TokenCacheKey) async throws { await kept.removeRecord(for: key) }

  func keys() async throws -> [TokenCacheKey] { await kept.keys() }

  func update(
    _ key: TokenCacheKey, _ change: @escaping @Sendable (TokenRecord?) -> TokenRecord?
  ) async throws -> TokenRecord? {
    let new = change(await kept.record(for: key))
    if let new { try await store(new, for: key) } else { try await removeRecord(for: key) }
    return new
  }

  func withRefreshLock<Result: Sendable>(
    for key: TokenCacheKey, _ body: @Sendable () async throws -> Result
  ) async throws -> Result {
    try await kept.withRefreshLock(for: key, body)
  }
}
