import B2CConnector
import B2CTestKit
import B2CTokenCache
import Foundation
import TestSupport

/// Lets processes share one folder and counts what they have done.
struct ProcessesProof: ProofCommand {
  static let name = "processes"
  static let summary = "8 processes x 500 read-modify-write rounds on shared and on own records"

  static let processes = 8

  /// The lines of the table; a part in a file of its own is one more line here.
  static let parts: [ProcessesPart] = [
    .additions("one record, shared by all", users: { _ in ["shared"] }),
    .additions("four records, shared by all", users: { _ in ["a", "b", "c", "d"] }),
    .additions("a record for each", users: { ["own-\($0)"] }),
    .additions("one record, under its refresh lock", "--refresh-lock", users: { _ in ["locked"] }),
    .refresh("one expired token"),
  ]

  static func run(_ options: ProofOptions) async throws -> Bool {
    var table = Table("\(processes) processes on", "counted", "expected", "found", "seconds", "")
    var isKept = true
    var notes: [String] = []
    for part in parts {
      let outcome = try await part.run(options)
      isKept = isKept && outcome.isKept
      notes += outcome.notes.map { "\(part.name): \($0)" }
      table.add(
        part.name, part.unit, "\(outcome.expected)", "\(outcome.found)",
        String(format: "%.2f", outcome.seconds), outcome.isKept ? "kept" : "BROKEN")
    }
    table.show()
    for note in notes.prefix(10) { print("BROKEN  \(note)") }
    return isKept
  }
}

/// One line of the processes' table: what is done by how many, and what has to come out.
struct ProcessesPart: Sendable {
  /// What came out.
  struct Outcome: Sendable {
    var expected: Int
    var found: Int
    var seconds: Double
    var notes: [String] = []

    var isKept: Bool { expected == found && notes.isEmpty }
  }

  let name: String
  /// What is counted.
  let unit: String
  let run: @Sendable (ProofOptions) async throws -> Outcome
}

extension ProcessesPart {
  /// Every process adds one to a record in each round; in the end the records hold the number of all rounds.
  static func additions(
    _ name: String, _ flags: String..., users: @escaping @Sendable (Int) -> [String]
  ) -> ProcessesPart {
    ProcessesPart(name: name, unit: "additions") { options in
      let rounds = options.isQuick ? 50 : 500
      let folder = try ProofFolder("processes")
      defer { folder.remove() }
      let all = Set((0..<ProcessesProof.processes).flatMap(users)).sorted()
      let cache = try ProofCache.open(folder.url)
      for user in all { try await cache.store(ProofRecord.record(0), for: ProofRecord.key(user)) }
      let children = try (0..<ProcessesProof.processes).map { number in
        try ChildProcess(
          ProcessWorker.self,
          [folder.url.path, "\(rounds)", users(number).joined(separator: ",")]
            + flags)
      }
      for child in children where child.readLine() != "ready" { throw ProofError("a worker did not start") }
      let clock = ContinuousClock()
      let start = clock.now
      for child in children { child.signal() }
      var outcome = Outcome(expected: ProcessesProof.processes * rounds, found: 0, seconds: 0)
      for (number, child) in children.enumerated() {
        _ = child.readToEnd()
        if child.ending != 0 { outcome.notes.append("process \(number) ended with \(child.ending)") }
      }
      outcome.seconds = start.duration(to: clock.now) / .seconds(1)
      for user in all {
        outcome.found += try await cache.record(for: ProofRecord.key(user)).flatMap(ProofRecord.number) ?? 0
      }
      return outcome
    }
  }
}

extension ProcessesPart {
  /// Processes find one expired token in a shared cache: one refresh serves them all.
  static func refresh(_ name: String) -> ProcessesPart {
    ProcessesPart(name: name, unit: "refreshes") { _ in try await countRefreshes() }
  }

  private static func countRefreshes() async throws -> Outcome {
    let folder = try ProofFolder("refresh")
    defer { folder.remove() }
    let tenant = LocalTenant(redirectURIs: ["http://127.0.0.1/callback"])
    try await tenant.start()
    let authority = tenant.authority(form: .query)
    try await signIn(tenant, authority, ProofCache.open(folder.url))
    let children = try (0..<ProcessesProof.processes).map { _ in
      try ChildProcess(RefreshWorker.self, [folder.url.path, authority])
    }
    for child in children where child.readLine() != "ready" { throw ProofError("a worker did not start") }
    let start = ContinuousClock.now
    for child in children { child.signal() }
    var outcome = Outcome(expected: 1, found: 0, seconds: 0)
    var tokens = Set<String>()
    for (number, child) in children.enumerated() {
      tokens.insert(child.readToEnd())
      if child.ending != 0 { outcome.notes.append("process \(number) ended with \(child.ending)") }
    }
    outcome.seconds = start.duration(to: .now) / .seconds(1)
    if tokens.count != 1 { outcome.notes.append("the processes got \(tokens.count) different tokens") }
    let counters = tenant.counters
    outcome.found = counters.refreshRequests
    if counters.reusedRefreshTokens > 0 { outcome.notes.append("a refresh token was used twice") }
    await tenant.stop()
    return outcome
  }

  /// Leaves a token in the cache that has ended already; later ones last an hour.
  static func signIn(_ tenant: LocalTenant, _ authority: String, _ cache: any TokenCache) async throws {
    tenant.behavior.changeTokenAnswer = {
      $0["expires_in"] = .integer(0)
      $0["expires_on"] = nil
    }
    let connector = try Connector(
      settings: try RefreshWorker.settings(authority: authority),
      presenter: ScriptedPresenter(transport: URLSessionTransport(), .signIn(.alice)),
      cache: cache)
    try await connector.doPolicy(.signIn)
    tenant.behavior.changeTokenAnswer = nil
    tenant.clearRequests()
  }
}

/// One of several processes that add to records, by replacements or under the refresh lock.
struct ProcessWorker: ProofCommand {
  static let name = "process-worker"
  static let summary = ""

  static func run(_ options: ProofOptions) async throws -> Bool {
    let folder = URL(fileURLWithPath: try options.value(0, "the folder"), isDirectory: true)
    let rounds = try options.number(1, "the number of rounds")
    let users = try options.value(2, "the users").split(separator: ",").map(String.init)
    let cache = try ProofCache.open(folder)
    // Printing would keep the word back until there is more.
    try FileHandle.standardOutput.write(contentsOf: Data("ready\n".utf8))
    _ = readLine()
    for round in 0..<rounds {
      let key = ProofRecord.key(users[round % users.count])
      if options.flags.contains("--refresh-lock") {
        try await cache.underRefreshLock(of: key) {
          let number = try await cache.record(for: key).flatMap(ProofRecord.number) ?? 0
          try await cache.store(ProofRecord.record(number + 1, size: 2000), for: key)
        }
      } else {
        try await cache.addOne(to: key, size: 2000)
      }
    }
    return true
  }
}

/// One of several processes that want a token from one cache.
struct RefreshWorker: ProofCommand {
  static let name = "refresh-worker"
  static let summary = ""

  static func run(_ options: ProofOptions) async throws -> Bool {
    let folder = URL(fileURLWithPath: try options.value(0, "the folder"), isDirectory: true)
    let settings = try RefreshWorker.settings(authority: try options.value(1, "the authority"))
    let connector = try Connector(
      settings: settings,
      cache: ProofCache.open(folder))
    // Printing would keep the word back until there is more.
    try FileHandle.standardOutput.write(contentsOf: Data("ready\n".utf8))
    _ = readLine()
    let token = try await connector.accessToken()
    print(fingerprint(of: token.token.value))
    return true
  }

  /// Settings that parent and child agree on.
  static func settings(authority: String) throws -> ConnectorSettings {
    guard let redirectURI = URL(string: "http://127.0.0.1/callback") else { throw ProofError("no redirect URI") }
    return ConnectorSettings(
      authority: try Authority(authority), clientID: "11111111-1111-4111-8111-111111111111",
      scopes: ["https://contoso.onmicrosoft.com/tasks/read"], redirectURI: redirectURI,
      policies: .init(emailSignIn: try Policy("B2C_1_SignIn")))
  }

  /// Tells tokens apart without showing them (the FNV-1a sum of 64 bits).
  static func fingerprint(of text: String) -> String {
    String(text.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }, radix: 16)
  }
}
