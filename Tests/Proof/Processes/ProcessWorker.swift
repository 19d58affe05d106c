import B2CTokenCache
import Foundation

/// One of several processes that add to records, by updates or under the refresh lock.
struct ProcessWorker: ProofCommand {
  static let name = "process-worker"
  static let summary = ""

  static func run(_ options: ProofOptions) async throws -> Bool {
    let folder = URL(fileURLWithPath: try options.value(0, "the folder"), isDirectory: true)
    let rounds = try options.number(1, "the number of rounds")
    let accounts = try options.value(2, "the accounts").split(separator: ",").map(String.init)
    let cache = try ProofCache.open(folder, isBroken: options.isBroken)
    // Printing would keep the word back until there is more.
    try FileHandle.standardOutput.write(contentsOf: Data("ready\n".utf8))
    _ = readLine()
    for round in 0..<rounds {
      let key = ProofRecord.key(accounts[round % accounts.count])
      if options.flags.contains("--refresh-lock") {
        try await cache.withRefreshLock(for: key) {
          let number = try await cache.record(for: key).flatMap(ProofRecord.number) ?? 0
          try await cache.store(ProofRecord.record(number + 1, size: 2000), for: key)
        }
      } else {
        try await cache.update(key) {
          ProofRecord.record(($0.flatMap(ProofRecord.number) ?? 0) + 1, size: 2000)
        }
      }
    }
    return true
  }
}
