import B2CTokenCache
import Foundation
import TestSupport

/// Restarts the server, also by a crash of it, while clients add to a record.
struct RestartProof: ProofCommand {
  static let name = "restart"
  static let summary = "the server restarts while eight clients write: they connect again, and no record is lost"

  private static let stored = 50

  static func run(_ options: ProofOptions) async throws -> Bool {
    let restarts = options.isQuick ? 2 : 10
    let folder = try TemporaryDirectory("restart")
    defer { folder.remove() }
    let caches = try (0..<2).map { _ in try ProofCache.open(folder.url) }
    for number in 0..<stored {
      try await caches[0].store(ProofRecord.record(number), for: ProofRecord.key("stored-\(number)"))
    }
    try await caches[0].store(ProofRecord.record(0), for: ProofRecord.key("shared"))
    let count = Locked((done: 0, failed: 0))
    let clients = (0..<8).map { number in
      Task { while !Task.isCancelled { await add(to: caches[number % 2], count) } }
    }
    var notes: [String] = []
    for number in 0..<restarts {
      let before = count.withLock { $0.done }
      try ProofServer.restart(number.isMultiple(of: 2) ? "fast" : "immediate")
      // The clients go on by themselves.
      let start = ContinuousClock.now
      while count.withLock({ $0.done }) < before + 200 {
        guard start.duration(to: .now) < .seconds(60) else {
          notes.append("after restart \(number) the clients do not connect again")
          break
        }
        try await Task.sleep(for: .milliseconds(20))
      }
    }
    for client in clients { client.cancel() }
    for client in clients { await client.value }
    let (done, failed) = count.withLock { $0 }
    let found = try await caches[1].number(for: ProofRecord.key("shared")) ?? 0
    // What failed may have been done: its answer was lost.
    if !(done...done + failed).contains(found) { notes.append("\(found) additions are in the record") }
    for number in 0..<stored {
      let found = try await caches[1].number(for: ProofRecord.key("stored-\(number)"))
      if found != number { notes.append("record \(number) is lost or changed") }
    }
    var table = Table("restarts", "additions done", "failed", "found", "")
    table.add("\(restarts)", "\(done)", "\(failed)", "\(found)", verdict(notes))
    return report(table, notes)
  }

  private static func add(to cache: any SharedTokenCache, _ count: Locked<(done: Int, failed: Int)>) async {
    do {
      try await cache.addOne(to: ProofRecord.key("shared"), size: 2000)
      count.withLock { $0.done += 1 }
    } catch {
      count.withLock { $0.failed += 1 }
      try? await Task.sleep(for: .milliseconds(20))
    }
  }
}
