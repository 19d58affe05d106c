import B2CConnector
import B2CTokenCache
import Foundation
import TestSupport

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// One of the processes of a soak run: calls, sign-ins and counts, until its time is over.
struct SoakWorker: ProofCommand {
  static let name = "soak-worker"
  static let summary = ""

  static func run(_ options: ProofOptions) async throws -> Bool {
    let number = try options.number(0, "the number of the process")
    let directory = URL(fileURLWithPath: try options.value(1, "the directory"), isDirectory: true)
    guard let tasks = URL(string: try options.value(3, "the task server")) else { throw ProofError("no task server") }
    let end = Date(timeIntervalSince1970: Double(try options.number(4, "the end")))
    let log = try SoakLog(file: directory.appendingPathComponent("log-\(number)"))
    let app = try SoakApp(
      directory: directory.appendingPathComponent("cache", isDirectory: true),
      tenant: try options.value(2, "the tenant"),
      tasks: tasks)
    let worker = Self(number: number, app: app, tasks: tasks, log: log, end: end, isBroken: options.isBroken)
    await withTaskGroup(of: Void.self) { group in
      for loop in 0..<SoakPlan.loops {
        group.addTask { await worker.callForOthers(seed: UInt64(number * 100 + loop)) }
      }
      group.addTask { await worker.signInAndOut() }
      group.addTask { await worker.sample() }
    }
    log.finish()
    return true
  }

  private let number: Int
  private let app: SoakApp
  private let tasks: URL
  private let log: SoakLog
  private let end: Date
  /// Whether tokens are replaced that are good for longer.
  private let isBroken: Bool

  private init(number: Int, app: SoakApp, tasks: URL, log: SoakLog, end: Date, isBroken: Bool) {
    self.number = number
    self.app = app
    self.tasks = tasks
    self.log = log
    self.end = end
    self.isBroken = isBroken
  }

  private var isOver: Bool { Date() >= end }

  /// Calls for users whom the other processes act for too.
  private func callForOthers(seed: UInt64) async {
    var random = SplitMix64(seed: seed)
    while !isOver {
      let account = SoakApp.account(random.below(SoakPlan.sharedUsers))
      switch random.below(20) {
      case 0..<11:
        await log.count("token") {
          _ = try await app.connector.accessToken(account: account, forceRefresh: isBroken)
        }
      case 11..<17:
        await log.count("list") {
          let limits = TransportLimits(
            maximumBodyBytes: 256 << 10, deadline: SoakPlan.deadline, idleTimeout: SoakPlan.deadline)
          let (_, answer) = try await app.connector.data(for: URLRequest(url: tasks), account: account, limits: limits)
          guard answer.statusCode == 200 else { throw SoakStatus(status: answer.statusCode) }
        }
      case 17: await log.count("accounts") { _ = try await app.connector.accounts() }
      default:
        let key = ProofRecord.key("counter-\(random.below(SoakPlan.counters))")
        await log.count("counter") {
          try await app.cache.update(key) {
            ProofRecord.record(($0.flatMap(ProofRecord.number) ?? 0) + 1, size: 500)
          }
        }
      }
      try? await Task.sleep(for: .milliseconds(50 + random.below(300)))
    }
  }

  /// Users of this process come and go, by all policies.
  private func signInAndOut() async {
    var round = 0
    while !isOver {
      let user = SoakPlan.sharedUsers + number * SoakPlan.ownUsers + round % SoakPlan.ownUsers
      let account = SoakApp.account(user)
      round += 1
      guard await log.count("signIn", { try await app.signIn(user) }) else { continue }
      for _ in 0..<3 {
        await log.count("token") { _ = try await app.connector.accessToken(account: account) }
        try? await Task.sleep(for: .milliseconds(700))
      }
      if round.isMultiple(of: 3) {
        await log.count("signIn") {
          try await app.signIn(user, policy: Policy(id: "B2C_1_SignUpOrSignIn", kind: .signUpOrSignIn))
        }
      }
      await log.count("signOut") { try await app.connector.signOut(account) }
    }
  }

  private func sample() async {
    while !isOver {
      log.sample(memory: ResidentMemory.current, files: Self.openFiles)
      try? await Task.sleep(for: .seconds(1))
    }
  }

  /// How many descriptors are open; 0 where the system does not tell.
  private static var openFiles: Int {
    (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? 0
  }
}

/// An answer of the task server that is not 200: `data(for:)` returns it as it is.
struct SoakStatus: Error {
  let status: Int
}
