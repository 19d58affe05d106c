import B2CTokenCache
import Foundation
import TestSupport

extension ProcessesPart {
  /// Every process adds one to a record in each round; in the end the records hold the number of all rounds.
  static func additions(
    _ name: String, _ flags: String..., accounts: @escaping @Sendable (Int) -> [String]
  ) -> ProcessesPart {
    ProcessesPart(name: name, unit: "additions") { options in
      let rounds = options.isQuick ? 50 : 500
      let folder = try ProofFolder("processes")
      defer { folder.remove() }
      let children = try (0..<ProcessesProof.processes).map { number in
        try ChildProcess(
          ProcessWorker.self,
          [folder.url.path, "\(rounds)", accounts(number).joined(separator: ",")]
            + flags + (options.isBroken ? ["--broken"] : []))
      }
      for child in children where child.readLine() != "ready" { throw ProofError("a worker did not start") }
      let clock = ContinuousClock()
      let start = clock.now
      for child in children { child.signal() }
      let all = Set((0..<ProcessesProof.processes).flatMap(accounts)).sorted()
      var outcome = Outcome(expected: ProcessesProof.processes * rounds, found: 0, seconds: 0)
      for (number, child) in children.enumerated() {
        _ = child.readToEnd()
        if child.ending != 0 { outcome.notes.append("process \(number) ended with \(child.ending)") }
      }
      outcome.seconds = start.duration(to: clock.now) / .seconds(1)
      let cache = try ProofCache.open(folder.url, isBroken: options.isBroken)
      for account in all {
        outcome.found += try await cache.record(for: ProofRecord.key(account)).flatMap(ProofRecord.number) ?? 0
      }
      return outcome
    }
  }
}
