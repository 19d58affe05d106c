import B2CTokenCache
import Foundation
import TestSupport

/// The cache under proof.
///
/// `.ci/example-proofs` puts another one in this file's place.
enum ProofCache {
  /// Proofs about this cache alone.
  static var proofs: [any ProofCommand.Type] { [] }
  /// In how many microseconds a process that writes is killed at the latest.
  static let longestLife: UInt32 = 25_000

  /// Waits until nothing is under way any more that a killed process had begun.
  static func waitForKilledProcesses() async throws {}

  static func open(_ url: URL) throws -> some SharedTokenCache {
    try StoredTokenCache.process(at: url)
  }
}
