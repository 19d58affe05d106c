import B2CTestKit
import Foundation
import TestSupport

/// Kills a writing process at random instants and looks at what is left.
struct CrashProof: ProofCommand {
  static let name = "crash"
  static let summary = "kills a writing process at 1,000 random instants and looks at what is left"

  static func run(_ options: ProofOptions) async throws -> Bool {
    let folder = try TemporaryDirectory("crash")
    defer { folder.remove() }
    var run = CrashRun(url: folder.url)
    for round in 0..<(options.isQuick ? 60 : 1000) {
      run.round = round
      let child = try Worker.ready(CrashWriter.self, [folder.url.path, "\(round)", "\(run.highest)"])
      usleep(UInt32.random(in: 0..<ProofCache.longestLife))
      run.take(child.killAndRead())
      try await ProofCache.waitForKilledProcesses()
      if child.ending != -SIGKILL { run.note("the writer ended by itself (\(child.ending))") }
      try await run.look()
    }
    try await run.lookAtAll()
    return report(run.table, run.broken)
  }

  /// The users of a round: some that every round writes, and a new one, now and then of a new client.
  static func users(_ round: Int) -> [String] { ["a", "b", "c", "d", "new-\(round)"] }

  static func key(_ user: String) -> TokenCacheKey {
    let round = user.hasPrefix("new-") ? Int(user.dropFirst(4)) ?? 0 : 0
    return ProofRecord.key(user, client: "client-\(round / 10)")
  }
}

/// The values that a record may have according to its writer: that of the last finished change or of the one under way.
private struct CrashRun {
  enum Count: String, CaseIterable {
    case kills = "writers killed (SIGKILL)"
    case amidChange = "  in the middle of a change"
    case amidWrite = "  with a half-written temporary file left"
    case changes = "changes finished before the kills"
    case reads = "records read afterwards"
    case foundOld = "  interrupted, found old"
    case foundNew = "  interrupted, found new"
  }

  let url: URL
  var round = 0
  /// The highest number of a record so far.
  private(set) var highest = 0
  private(set) var broken: [String] = []
  /// By user; 0 stands for no record.
  private var finished: [String: Int] = [:]
  private var underWay: [String: Int] = [:]
  private var counts: [Count: Int] = [:]

  init(url: URL) { self.url = url }

  var table: Table {
    var table = Table("crash", "count")
    for row in Count.allCases { table.add(row.rawValue, "\(counts[row] ?? 0)") }
    table.add("promises broken", "\(broken.count)")
    return table
  }

  mutating func note(_ finding: String) { broken.append("round \(round): \(finding)") }

  private mutating func add(_ count: Count) { counts[count, default: 0] += 1 }

  /// Reads what a killed writer has said.
  mutating func take(_ text: String) {
    underWay = [:]
    for line in text.split(separator: "\n") {
      let words = line.split(separator: " ").map(String.init)
      guard words.count == 3, let number = Int(words[2]) else { continue }
      highest = max(highest, number)
      underWay[words[1]] = number
      guard words[0] == "d" else { continue }
      finished[words[1]] = underWay.removeValue(forKey: words[1])
      add(.changes)
    }
  }

  /// Looks at the files and at the records of a round.
  mutating func look() async throws {
    add(.kills)
    if !underWay.isEmpty { add(.amidChange) }
    if !files(ending: ".new").isEmpty { add(.amidWrite) }
    for path in try openToOthers() { note("open to others: \(path)") }
    let cache = try ProofCache.open(url)
    _ = try await cache.keys()
    for name in files(ending: ".new") { note("a temporary file is left after listing: \(name)") }
    for user in CrashProof.users(round) {
      guard let number = try await read(user, cache) else { continue }
      let (old, new) = (finished[user, default: 0], underWay[user])
      if number != old, number != new {
        note("\(user) is \(number), neither the old nor the new value")
      } else if let new {
        add(number == new ? .foundNew : .foundOld)
      }
      finished[user] = number
    }
    // The lock of a killed process must be free immediately.
    for user in CrashProof.users(round) { try await cache.underRefreshLock(of: CrashProof.key(user)) {} }
    for name in files(ending: ".damaged") { note("a file was renamed as damaged: \(name)") }
  }

  private func files(ending end: String) -> [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: url.path)) ?? []).filter { $0.hasSuffix(end) }
  }

  /// Everything in the folder that others could open, as "path (mode)".
  private func openToOthers() throws -> [String] {
    try FileManager.default.subpathsOfDirectory(atPath: url.path).compactMap { path in
      let attributes = try FileManager.default.attributesOfItem(atPath: url.path + "/" + path)
      let mode = (attributes[.posixPermissions] as? NSNumber)?.intValue ?? -1
      let isFolder = attributes[.type] as? FileAttributeType == .typeDirectory
      return mode == (isFolder ? 0o700 : 0o600) ? nil : "\(path) (\(String(mode, radix: 8)))"
    }
  }

  mutating func lookAtAll() async throws {
    let cache = try ProofCache.open(url)
    for (user, number) in finished {
      if try await read(user, cache) != number { note("\(user) has changed since its round") }
    }
    let expected = Set(finished.filter { $0.value != 0 }.map { CrashProof.key($0.key) })
    if try await Set(cache.keys()) != expected { note("the list of keys is not that of the records") }
  }

  /// Returns the number of a record, 0 if there is none, or `nil` if it is broken.
  private mutating func read(_ user: String, _ cache: any TokenCache) async throws -> Int? {
    do {
      let number = try await cache.record(for: CrashProof.key(user)).map { ProofRecord.number($0) ?? -1 } ?? 0
      if number < 0 { note("\(user) holds parts of two records") } else { add(.reads) }
      return number < 0 ? nil : number
    } catch {
      note("\(user) cannot be read: \(error)")
      return nil
    }
  }
}

/// The process that is killed: it stores, replaces and removes records without end, and says so before and after each.
struct CrashWriter: ProofCommand {
  static let name = "crash-writer"

  static func run(_ options: ProofOptions) async throws -> Bool {
    let users = CrashProof.users(try options.number(1, "the round"))
    var number = try options.number(2, "the first number")
    Worker.say("ready")
    let cache = try ProofCache.open(options.folder)
    while true {
      let user = users[Int.random(in: users.indices)]
      let isRemoval = Int.random(in: 0..<8) == 0
      if !isRemoval { number += 1 }
      let change = "\(user) \(isRemoval ? 0 : number)"
      Worker.say("s \(change)")
      let key = CrashProof.key(user)
      if isRemoval {
        try await cache.removeRecord(for: key)
      } else {
        try await write(ProofRecord.record(number), number % 3, key, cache)
      }
      Worker.say("d \(change)")
    }
  }

  private static func write(
    _ record: TokenRecord, _ way: Int, _ key: TokenCacheKey, _ cache: some SharedTokenCache
  ) async throws {
    if way == 2 { return try await cache.underRefreshLock(of: key) { try await cache.store(record, for: key) } }
    if way == 1, let stamp = try await cache.record(for: key)?.stamp,
      try await cache.replace(key, expecting: stamp, with: record)
    {
      return
    }
    try await cache.store(record, for: key)
  }
}
