import B2CTestKit
import Foundation
import TestSupport

/// Holds the cache under proof to every rule of the test kit's suite.
struct ConformanceProof: ProofCommand {
  static let name = "conformance"
  static let summary = "every rule of the test kit's suite for token caches"

  static func run(_ options: ProofOptions) async throws -> Bool {
    let folder = try TemporaryDirectory("conformance")
    defer { folder.remove() }
    // The suite looks at one cache after the other, so the second instance is one of the last that was made.
    let last = Locked(folder.url)
    let broken = try await TokenCacheConformance.brokenRules(
      makeSecondInstance: { _ in try ProofCache.open(last.withLock { $0 }) },
      makeCache: { [folder = folder.url] in
        let url = folder.appendingPathComponent(UUID().uuidString)
        last.withLock { $0 = url }
        return try ProofCache.open(url)
      })
    var table = Table("rules broken", "")
    table.add("\(broken.count)", verdict(broken))
    return report(table, broken)
  }
}
