import B2CTestKit
import B2CTokenCache
import Foundation
import TestSupport

/// Kills a writing process at random instants and looks at what is left.
struct CrashProof: ProofCommand {
  static let name = "crash"
  static let summary = "kills a writing process at 1,000 random instants and looks at what is left"

  /// The users of a round: some that every round writes, and a new one, now and then of a new client.
  static func users(_ round: Int) -> [String] {
    ["a", "b", "c", "d", "new-\(round)"]
  }

  static func key(_ user: String) -> TokenCacheKey {
    let round = user.hasPrefix("new-") ? Int(user.dropFirst(4)) ?? 0 : 0
    return ProofRecord.key(user, client: "client-\(round / 10)")
  }

  static func run(_ options: ProofOptions) async throws -> Bool {
    let rounds = options.isQuick ? 60 : 1000
    let folder = try ProofFolder("crash")
    defer { folder.remove() }
    var findings = CrashFindings()
    var state = CrashState()
    for round in 0..<rounds {
      let child = try ChildProcess(CrashWriter.self, [folder.url.path, "\(round)", "\(state.highest)"])
      guard child.readLine() == "ready" else { throw ProofError("the writer did not start") }
      usleep(UInt32.random(in: 0..<ProofCache.longestLife))
      state.read(child.killAndRead())
      try await ProofCache.waitForKilledProcesses()
      if child.ending != -SIGKILL { findings.note("the writer ended by itself (\(child.ending))", round) }
      findings.add(.kills)
      if !state.underWay.isEmpty { findings.add(.amidChange) }
      if !ProofFolder.strayFiles(folder.url).isEmpty { findings.add(.amidWrite) }
      try await look(folder.url, round, &state, &findings)
    }
    try await lookAtAll(folder.url, rounds, state, &findings)
    findings.add(.changes, state.finishedCount)
    findings.show()
    return findings.broken.isEmpty
  }

  private static func look(
    _ url: URL, _ round: Int, _ state: inout CrashState, _ findings: inout CrashFindings
  ) async throws {
    for path in try ProofFolder.openToOthers(url) { findings.note("open to others: \(path)", round) }
    let cache = try ProofCache.open(url)
    _ = try await cache.keys()
    for name in ProofFolder.strayFiles(url) { findings.note("a temporary file is left after listing: \(name)", round) }
    for user in users(round) {
      let number = try await read(user, cache, round, &findings)
      guard let number else { continue }
      findings.add(.reads)
      if !state.allows(number, for: user) {
        findings.note("\(user) is \(number), neither the old nor the new value", round)
      } else if let new = state.underWay[user] {
        findings.add(number == new ? .foundNew : .foundOld)
      }
      state.settle(number, for: user)
    }
    // A killed holder's lock has to be free at once.
    for user in users(round) { try await cache.underRefreshLock(of: key(user)) {} }
    for name in ProofFolder.files(url, ending: ".damaged") {
      findings.note("a file was renamed as damaged: \(name)", round)
    }
  }

  /// At the end, the records of all rounds.
  private static func lookAtAll(
    _ url: URL, _ rounds: Int, _ state: CrashState, _ findings: inout CrashFindings
  ) async throws {
    let cache = try ProofCache.open(url)
    for (user, number) in state.finished {
      let found = try await read(user, cache, rounds, &findings)
      findings.add(.reads)
      if found != number { findings.note("\(user) has changed since its round", rounds) }
    }
    let expected = Set(state.finished.filter { $0.value != 0 }.map { key($0.key) })
    if try await Set(cache.keys()) != expected { findings.note("the list of keys is not that of the records", rounds) }
  }

  /// The number of a record, 0 when there is none; `nil` when it is broken.
  private static func read(
    _ user: String, _ cache: any TokenCache, _ round: Int, _ findings: inout CrashFindings
  ) async throws -> Int? {
    do {
      guard let record = try await cache.record(for: key(user)) else { return 0 }
      if let number = ProofRecord.number(record) { return number }
      findings.note("\(user) holds parts of two records", round)
    } catch {
      findings.note("\(user) cannot be read: \(error)", round)
    }
    return nil
  }
}

/// The process that is killed: it stores, replaces and removes records without end, and says so before and after each.
struct CrashWriter: ProofCommand {
  static let name = "crash-writer"
  static let summary = ""

  static func run(_ options: ProofOptions) async throws -> Bool {
    let folder = URL(fileURLWithPath: try options.value(0, "the folder"), isDirectory: true)
    let round = try options.number(1, "the round")
    var number = try options.number(2, "the first number")
    Worker.say("ready")
    let cache = try ProofCache.open(folder)
    let users = CrashProof.users(round)
    while true {
      let user = users[Int.random(in: users.indices)]
      let key = CrashProof.key(user)
      if Int.random(in: 0..<8) == 0 {
        Worker.say("s \(user) 0")
        try await cache.removeRecord(for: key)
        Worker.say("d \(user) 0")
      } else {
        number += 1
        Worker.say("s \(user) \(number)")
        let record = ProofRecord.record(number)
        switch number % 3 {
        case 0: try await cache.store(record, for: key)
        case 1:
          let stamp = try await cache.record(for: key)?.stamp
          if let stamp, try await cache.replace(key, expecting: stamp, with: record) { break }
          try await cache.store(record, for: key)
        default: try await cache.underRefreshLock(of: key) { try await cache.store(record, for: key) }
        }
        Worker.say("d \(user) \(number)")
      }
    }
  }
}

/// What a record may be, by what its writer has said: the last finished change, or the one that was under way.
struct CrashState {
  /// By user; 0 stands for no record.
  private(set) var finished: [String: Int] = [:]
  private(set) var underWay: [String: Int] = [:]
  private(set) var highest = 0
  private(set) var finishedCount = 0

  /// Takes what a killed writer has said.
  mutating func read(_ text: String) {
    underWay = [:]
    for line in text.split(separator: "\n") {
      let words = line.split(separator: " ")
      guard words.count == 3, let number = Int(words[2]) else { continue }
      let user = String(words[1])
      highest = max(highest, number)
      if words[0] == "s" {
        underWay[user] = number
      } else {
        finished[user] = number
        underWay[user] = nil
        finishedCount += 1
      }
    }
  }

  /// Whether a number may be found for a user.
  func allows(_ number: Int, for user: String) -> Bool {
    number == finished[user, default: 0] || number == underWay[user]
  }

  /// Takes what was found as the state from now on.
  mutating func settle(_ number: Int, for user: String) { finished[user] = number }
}

/// What was seen after the kills.
struct CrashFindings {
  private(set) var broken: [String] = []
  private var counts: [Count: Int] = [:]

  /// The rows of the table.
  enum Count: String, CaseIterable {
    case kills = "writers killed (SIGKILL)"
    case amidChange = "  in the middle of a change"
    case amidWrite = "  with a half-written temporary file left"
    case changes = "changes finished before the kills"
    case reads = "records read afterwards"
    case foundOld = "  interrupted, found old"
    case foundNew = "  interrupted, found new"
  }

  mutating func add(_ count: Count, _ number: Int = 1) { counts[count, default: 0] += number }

  mutating func note(_ finding: String, _ round: Int) { broken.append("round \(round): \(finding)") }

  func show() {
    var table = Table("crash", "count")
    for row in Count.allCases { table.add(row.rawValue, "\(counts[row] ?? 0)") }
    table.add("promises broken", "\(broken.count)")
    table.show()
    for finding in broken.prefix(10) { print("BROKEN  \(finding)") }
  }
}
