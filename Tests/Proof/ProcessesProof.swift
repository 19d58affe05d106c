import B2CConnector
import B2CTestKit
import Foundation
import TestSupport

/// Lets processes share one folder and counts what they have done.
struct ProcessesProof: ProofCommand {
  static let name = "processes"
  static let summary = "8 processes x 500 read-modify-write rounds on shared and on own records"

  private static let processes = 8

  private struct Outcome {
    let expected: Int
    var found = 0
    var seconds = 0.0
    var notes: [String] = []

    /// Runs processes to their end, and returns what each has printed.
    mutating func run(_ command: any ProofCommand.Type, _ arguments: [[String]]) throws -> [String] {
      let children = try Worker.start(command, arguments)
      let start = ContinuousClock.now
      let said = children.map { $0.readToEnd() }
      seconds = start.duration(to: .now) / .seconds(1)
      for (number, child) in children.enumerated() where child.ending != 0 {
        notes.append("process \(number) ended with \(child.ending)")
      }
      return said
    }
  }

  static func run(_ options: ProofOptions) async throws -> Bool {
    let rounds = options.isQuick ? 50 : 500
    var table = Table("\(processes) processes on", "counted", "expected", "found", "seconds", "")
    var broken: [String] = []
    func add(_ name: String, _ unit: String, _ outcome: Outcome) {
      let (expected, found) = (outcome.expected, outcome.found)
      let notes = (expected == found ? [] : ["\(name): \(found), not \(expected)"]) + outcome.notes
      let seconds = String(format: "%.2f", outcome.seconds)
      table.add(name, unit, "\(expected)", "\(found)", seconds, verdict(notes))
      broken += notes
    }
    func addition(_ name: String, _ flags: String..., users: (Int) -> [String]) async throws {
      add(name, "additions", try await additions(rounds, flags, (0..<processes).map(users)))
    }
    try await addition("one record, shared by all") { _ in ["shared"] }
    try await addition("four records, shared by all") { _ in ["a", "b", "c", "d"] }
    try await addition("a record for each") { ["own-\($0)"] }
    try await addition("one record, under its refresh lock", "--refresh-lock") { _ in ["locked"] }
    add("one expired token", "refreshes", try await refreshes())
    return report(table, broken)
  }

  /// Every process adds one to a record in each round, so in the end the records hold the number of all rounds.
  private static func additions(_ rounds: Int, _ flags: [String], _ users: [[String]]) async throws -> Outcome {
    let folder = try TemporaryDirectory("processes")
    defer { folder.remove() }
    let all = Set(users.joined())
    let cache = try ProofCache.open(folder.url)
    for user in all { try await cache.store(ProofRecord.record(0), for: ProofRecord.key(user)) }
    var outcome = Outcome(expected: processes * rounds)
    _ = try outcome.run(
      ProcessWorker.self, users.map { [folder.url.path, "\(rounds)", $0.joined(separator: ",")] + flags })
    for user in all { outcome.found += try await cache.number(for: ProofRecord.key(user)) ?? 0 }
    return outcome
  }

  /// Processes find an expired token in a shared cache, and one refresh serves them all.
  private static func refreshes() async throws -> Outcome {
    let folder = try TemporaryDirectory("refresh")
    defer { folder.remove() }
    let provider = try await ProofTenant()
    try await provider.signIn(ProofCache.open(folder.url))
    var outcome = Outcome(expected: 1)
    let workers = Array(repeating: [folder.url.path, provider.authority], count: processes)
    let tokens = Set(try outcome.run(RefreshWorker.self, workers))
    if tokens.count != 1 { outcome.notes.append("the processes got \(tokens.count) different tokens") }
    let counters = provider.tenant.counters
    outcome.found = counters.refreshRequests
    if counters.reusedRefreshTokens > 0 { outcome.notes.append("a refresh token was used twice") }
    await provider.tenant.stop()
    return outcome
  }
}

/// A process of several that add to records, by replacements or under the refresh lock.
struct ProcessWorker: ProofCommand {
  static let name = "process-worker"

  static func run(_ options: ProofOptions) async throws -> Bool {
    let rounds = try options.number(1, "the number of rounds")
    let users = try options.value(2, "the users").split(separator: ",").map(String.init)
    let cache = try ProofCache.open(options.folder)
    Worker.waitForSignal()
    for round in 0..<rounds {
      let key = ProofRecord.key(users[round % users.count])
      if options.flags.contains("--refresh-lock") {
        try await cache.underRefreshLock(of: key) {
          let number = try await cache.number(for: key) ?? 0
          try await cache.store(ProofRecord.record(number + 1, size: 2000), for: key)
        }
      } else {
        try await cache.addOne(to: key, size: 2000)
      }
    }
    return true
  }
}

/// A process of several that want a token from one cache.
struct RefreshWorker: ProofCommand {
  static let name = "refresh-worker"

  static func run(_ options: ProofOptions) async throws -> Bool {
    let connector = try ProofTenant.connector(
      options.value(1, "the authority"), ProofCache.open(options.folder))
    Worker.waitForSignal()
    print(fingerprint(of: try await connector.accessToken().token.value))
    return true
  }

  /// Tells tokens apart without showing them (the FNV-1a sum of 64 bits).
  static func fingerprint(of text: String) -> String {
    String(text.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }, radix: 16)
  }
}
