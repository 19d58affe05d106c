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
    for number in 0..<SoakPlan.counters {
      try await app.cache.store(ProofRecord.record(0), for: ProofRecord.key("counter-\(number)"))
    }
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
        ])
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
    print(verdict.table)
    return verdict.lines.allSatisfy(\.isKept)
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
      ["token", "list", "users", "counter", "signIn", "signOut"].allSatisfy { content.counts[$0, default: 0] > 0 })
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
        _ = try await app.connector.accessToken(user: SoakApp.person(user), forceRefresh: true)
      } catch {
        lost.append("\(user): \(error)")
      }
    }
    verdict.add(
      "no session lost", "\(SoakPlan.sharedUsers - lost.count) of \(SoakPlan.sharedUsers) users get a new token",
      lost.isEmpty)
    for line in lost.prefix(5) { print("LOST  user \(line)") }
    _ = try await app.cache.keys()
    let open = try ProofFolder.openToOthers(directory)
    verdict.add("nothing in the cache open to others", "\(open.count)", open.isEmpty)
    verdict.add(
      "no stray files", "\(ProofFolder.strayFiles(directory).count)", ProofFolder.strayFiles(directory).isEmpty)
  }

}

/// What a soak run does, for how long; parent and workers agree on it.
struct SoakPlan: Sendable {
  static let processes = 4
  /// Users whom all processes act for.
  static let sharedUsers = 160
  /// Users of one process each, who sign in and out.
  static let ownUsers = 10
  static let users = sharedUsers + processes * ownUsers
  /// How long an access token lives; it is refreshed when half of that is left.
  static let tokenLifetime = 2.0
  /// Tasks at a time in a process.
  static let loops = 8
  /// Records that are only counted up.
  static let counters = 4
  /// Rounds of faults and quiet: faults come in the first part of a round.
  static let round = 60.0
  static let faultyPart = 40.0
  /// How long after a fault an error may still be its consequence: the deadline of a request, and a wait for a lock.
  static let aftermath = 12.0
  static let deadline = Duration.seconds(4)

  let seconds: Double

  init(_ options: ProofOptions) throws {
    seconds = options.values.isEmpty ? 1_800 : Double(try options.number(0, "the seconds"))
  }

  static func email(_ user: Int) -> String { "user-\(user)@example.com" }
  static func id(_ user: Int) -> String { "dddddddd-0000-4000-8000-" + String(format: "%012d", user) }
  static func password(_ user: Int) -> String { "Not-A-Secret-\(user)" }
  /// Half of the users sign in by one policy, half by the other.
  static func policyID(_ user: Int) -> String { user.isMultiple(of: 2) ? "B2C_1_SignIn" : "B2C_1_SignUpOrSignIn" }
}

/// What a soak run has to show, from the logs of its processes and the record of its servers.
struct SoakVerdict {
  /// A promise, what was seen of it, and whether it was kept.
  struct Line {
    let promise: String
    let seen: String
    let isKept: Bool
  }

  private(set) var lines: [Line] = []

  mutating func add(_ promise: String, _ seen: String, _ isKept: Bool) {
    lines.append(Line(promise: promise, seen: seen, isKept: isKept))
  }

  /// Every error has the code that the fault table has for a fault that was set shortly before.
  mutating func addErrors(_ failures: [SoakLog.Failure], _ windows: [SoakWorld.Window]) {
    let unexplained = failures.filter { failure in
      !windows.contains { window in
        // A worker's answer may be late, never early.
        (window.start - 0.5...window.end + SoakPlan.aftermath).contains(failure.time)
          && Self.codes(of: window).contains(failure.code)
      }
    }
    let codes = Dictionary(grouping: failures, by: \.code).map { "\($0.key) \($0.value.count)" }.sorted()
    add(
      "no error that the fault table does not explain",
      "\(failures.count) errors (\(codes.joined(separator: ", "))) after \(windows.reduce(0) { $0 + $1.hits }) faulty answers; "
        + "\(unexplained.count) unexplained", unexplained.isEmpty)
    for failure in unexplained.prefix(20) {
      print("UNEXPLAINED  \(failure.call): \(failure.code) at \(failure.time): \(failure.text)")
    }
  }

  /// What a fault may end in: the matrix's codes, and statuses that `data(for:)` returns as they are.
  private static func codes(of window: SoakWorld.Window) -> Set<String> {
    var codes = Set(window.operations.map { window.fault.expected[$0] })
    // A call that needs keys has the key set's error; a status of the task server is no error of `data(for:)`.
    if window.operations.contains(.list) {
      codes.formUnion(window.fault.name.split(separator: " ").compactMap { Int($0) }.map { "status \($0)" })
    }
    // Half of the users signed in with a policy that the settings do not name: for them a 404 means that it is gone.
    if window.operations.contains(.refresh), window.fault.name.contains("404") { codes.insert("interactionRequired") }
    return codes
  }

  /// Every token that came within half a token's life of its user's last one has a reason.
  mutating func addRefreshes(_ count: Int, _ early: [SoakWorld.EarlyToken], _ windows: [SoakWorld.Window]) {
    let ofSignIns = early.count { $0.isOfSignIn }
    // A token that the API refuses is replaced.
    let refusals = windows.filter { $0.operations.contains(.list) && $0.fault.name.contains("401") }
    let unexplained = early.filter { token in
      !token.isOfSignIn && !token.previousWasDamaged
        && !refusals.contains { ($0.start - 0.5...$0.end + SoakPlan.aftermath).contains(token.time) }
    }
    add(
      "every refresh has a reason: half of the life of the user's last token is over, the API refused it, or a fault happened to the answer that brought it",
      "\(count) refreshes; \(early.count) early tokens: \(ofSignIns) of sign-ins, "
        + "\(early.count - ofSignIns - unexplained.count) after a fault; \(unexplained.count) unexplained",
      count > 0 && unexplained.isEmpty)
    for token in unexplained.prefix(20) {
      print("UNEXPLAINED  refresh at \(token.time), \(token.time - token.previous) s after the last token")
    }
  }

  /// Memory and descriptors in the last fifth of the run are those of the second fifth.
  mutating func addResources(_ samples: [[SoakLog.Sample]]) {
    for (name, bound, value) in [
      ("memory", 8.0, { (sample: SoakLog.Sample) in Double(sample.memory) / 1_048_576 }),
      ("descriptors", 12.0, { (sample: SoakLog.Sample) in Double(sample.files) }),
    ] {
      let growth = samples.map { own in
        Self.mean(own, 0.8..<1, value) - Self.mean(own, 0.2..<0.4, value)
      }
      let unit = name == "memory" ? " MB" : ""
      add(
        "\(name) flat: last fifth against second fifth, at most \(Int(bound))\(unit) more",
        growth.map { String(format: "%+.1f", $0) }.joined(separator: ", ") + unit,
        growth.allSatisfy { $0 <= bound })
    }
  }

  private static func mean(
    _ samples: [SoakLog.Sample], _ part: Range<Double>, _ value: (SoakLog.Sample) -> Double
  ) -> Double {
    let count = Double(samples.count)
    let some = samples[Int(count * part.lowerBound)..<Int(count * part.upperBound)]
    return some.isEmpty ? 0 : some.reduce(0) { $0 + value($1) } / Double(some.count)
  }

  /// A table in Markdown.
  var table: String {
    "| promise | seen | |\n|---|---|---|\n"
      + lines.map { "| \($0.promise) | \($0.seen) | \($0.isKept ? "kept" : "**BROKEN**") |" }.joined(separator: "\n")
  }
}
