import B2CTokenCache
import Foundation
import SQLiteTokenCache

/// `SQLiteTokenCache` of the examples, under the proofs.
enum ProofCache {
  static var proofs: [any ProofCommand.Type] { [] }
  static let longestLife: UInt32 = 25_000

  static func waitForKilledProcesses() async throws {}

  static func open(_ url: URL) throws -> some SharedTokenCache { try SQLiteTokenCache(directory: url) }
}
