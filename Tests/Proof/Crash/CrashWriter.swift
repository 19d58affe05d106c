import B2CTokenCache
import Foundation

/// The process that is killed: it stores, updates and removes records without end, and says so before and after each.
struct CrashWriter: ProofCommand {
  static let name = "crash-writer"
  static let summary = ""

  static func run(_ options: ProofOptions) async throws -> Bool {
    let folder = URL(fileURLWithPath: try options.value(0, "the folder"), isDirectory: true)
    let round = try options.number(1, "the round")
    var number = try options.number(2, "the first number")
    say("ready")
    let cache = try ProofCache.open(folder, isBroken: options.isBroken)
    let accounts = CrashProof.accounts(round)
    while true {
      let account = accounts[Int.random(in: accounts.indices)]
      let key = CrashProof.key(account)
      if Int.random(in: 0..<8) == 0 {
        say("s \(account) 0")
        try await cache.removeRecord(for: key)
        say("d \(account) 0")
      } else {
        number += 1
        say("s \(account) \(number)")
        let record = ProofRecord.record(number)
        switch number % 3 {
        case 0: try await cache.store(record, for: key)
        case 1: try await cache.update(key) { _ in record }
        default: try await cache.withRefreshLock(for: key) { try await cache.store(record, for: key) }
        }
        say("d \(account) \(number)")
      }
    }
  }

  /// Straight to the pipe: what was said is there even when the process dies at the next instruction.
  private static func say(_ line: String) {
    try? FileHandle.standardOutput.write(contentsOf: Data((line + "\n").utf8))
  }
}
