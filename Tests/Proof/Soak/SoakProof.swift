import B2CConnector
import B2CTestKit
import Foundation
import TestSupport

/// Mixed work of four processes on one file cache for half an hour, with faults at random.
struct SoakProof: ProofCommand {
  static let name = "soak"
  static let summary = "30 minutes: 200 users, 4 processes on one cache, tokens of 2 seconds, faults at random"

  static func run(_ options: ProofOptions) async throws -> Bool {
    let plan = try SoakPlan(options)
    let folder = try ProofFolder("soak")
    defer { folder.remove() }
    let cache = folder.url.appendingPathComponent("cache", isDirectory: true)
    let world = try await SoakWorld()
    let app = try SoakApp(directory: cache, tenant: world.authority, tasks: world.tasks)
    for user in 0..<SoakPlan.sharedUsers { try await app.signIn(user) }
    print("\(SoakPlan.sharedUsers) users are signed in; \(SoakPlan.processes) processes for \(Int(plan.seconds)) s")
    world.begin()
    let before = world.tenant.counters
    let start = Date()
    let end = Date(timeIntervalSince1970: (start.timeIntervalSince1970 + plan.seconds).rounded(.up))
    let children = try (0..<SoakPlan.processes).map { number in
      try ChildProcess(
        SoakWorker.self,
        [
          "\(number)", folder.url.path, world.authority, world.tasks.absoluteString,
          "\(Int(end.timeIntervalSince1970))",
        ] + (options.isBroken ? ["--broken"] : []))
    }
    try await world.run(from: start, until: end)
    // Calls that are under way end by their deadlines; the children are not waited for on this thread before that.
    let over = end.addingTimeInterval(60)
    while Date() < over, children.contains(where: { $0.isRunning }) { try? await Task.sleep(for: .milliseconds(200)) }
    let hung = children.filter(\.isRunning)
    for child in hung { _ = child.killAndRead() }
    var content = SoakLog.Content()
    for number in 0..<SoakPlan.processes { try content.add(folder.url.appendingPathComponent("log-\(number)")) }
    var verdict = SoakVerdict()
    verdict.add(
      "all processes come to their end", "exit codes " + children.map { "\($0.ending)" }.joined(separator: ", "),
      hung.isEmpty && children.allSatisfy { $0.ending == 0 })
    verdict.addErrors(content.failures, world.windows)
    try await addCounts(&verdict, content, world, before, seconds: plan.seconds)
    try await addCache(&verdict, content, app, cache)
    verdict.addResources(content.samples)
    await world.stop()
    return try show(verdict, content, options, seconds: plan.seconds)
  }

  private static func addCounts(
    _ verdict: inout SoakVerdict, _ content: SoakLog.Content, _ world: SoakWorld, _ before: LocalTenant.Counters,
    seconds: Double
  ) async throws {
    let counters = world.tenant.counters
    let refreshes = counters.refreshes - before.refreshes
    verdict.addRefreshes(refreshes, world.earlyTokens, world.windows)
    let lost = world.windows.filter { $0.operations.contains(.refresh) }.reduce(0) { $0 + $1.hits }
    let reused = counters.reusedRefreshTokens - before.reusedRefreshTokens
    verdict.add(
      "refresh tokens are not used after their successors more often than answers with successors were lost",
      "\(reused) uses, \(lost) faulty token answers", reused <= lost)
    verdict.add("no request follows a redirect", "\(world.strayRequests)", world.strayRequests == 0)
    let calls = content.counts.sorted { $0.key < $1.key }.map { "\($0.value) × \($0.key)" }.joined(separator: ", ")
    verdict.add(
      "mixed work", "\(calls); \(world.rollOvers) key roll-overs",
      ["token", "list", "accounts", "counter", "signIn", "signOut"].allSatisfy { content.counts[$0, default: 0] > 0 })
  }

  private static func addCache(
    _ verdict: inout SoakVerdict, _ content: SoakLog.Content, _ app: SoakApp, _ directory: URL
  ) async throws {
    var counted = 0
    for number in 0..<SoakPlan.counters {
      counted += try await app.cache.record(for: ProofRecord.key("counter-\(number)")).flatMap(ProofRecord.number) ?? 0
    }
    let expected = content.counts["counter", default: 0]
    verdict.add("no lost update", "\(counted) of \(expected) increments", counted == expected)
    var lost: [String] = []
    for user in 0..<SoakPlan.sharedUsers {
      do {
        _ = try await app.connector.accessToken(account: SoakApp.account(user), forceRefresh: true)
      } catch {
        lost.append("\(user): \(error)")
      }
    }
    verdict.add(
      "no session lost", "\(SoakPlan.sharedUsers - lost.count) of \(SoakPlan.sharedUsers) users get a new token",
      lost.isEmpty)
    for line in lost.prefix(5) { print("LOST  user \(line)") }
    let open = try ProofFolder.openToOthers(directory)
    verdict.add("nothing in the cache open to others", "\(open.count)", open.isEmpty)
    verdict.add(
      "no stray files", "\(ProofFolder.strayFiles(directory).count)", ProofFolder.strayFiles(directory).isEmpty)
  }

  private static func show(
    _ verdict: SoakVerdict, _ content: SoakLog.Content, _ options: ProofOptions, seconds: Double
  ) throws -> Bool {
    print(verdict.table)
    if options.flags.contains("--write") {
      let file = URL(fileURLWithPath: "Docs/Reliability.md")
      try MarkdownSection(file: file.path).replace("soak", with: verdict.table)
      let plot = file.deletingLastPathComponent().appendingPathComponent("Soak.svg")
      try SoakPlot.svg(content.samples, seconds: seconds).write(to: plot, atomically: true, encoding: .utf8)
    }
    return verdict.lines.allSatisfy(\.isKept)
  }
}
