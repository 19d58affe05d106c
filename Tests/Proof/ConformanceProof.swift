import B2CCore
import B2CTestKit
import B2CTokenCache
import Foundation

/// Holds the cache under proof to every rule of the test kit's suite, as it is and under encryption.
struct ConformanceProof: ProofCommand {
  static let name = "conformance"
  static let summary = "every rule of the test kit's suite for token caches, also under encryption"

  static func run(_ options: ProofOptions) async throws -> Bool {
    let folder = try ProofFolder("conformance")
    defer { folder.remove() }
    var table = Table("cache", "rules broken", "")
    var notes: [String] = []
    for (name, key) in [("as it is", nil), ("encrypted", try EncryptionKey(bytes: Data(repeating: 7, count: 32)))] {
      let broken = try await brokenRules(in: folder.url, key)
      notes += broken.map { "\(name): \($0.rule.rawValue); seen: \($0.observation)" }
      table.add(name, "\(broken.count)", broken.isEmpty ? "kept" : "BROKEN")
    }
    table.show()
    for note in notes { print("BROKEN  \(note)") }
    return notes.isEmpty
  }

  private static func brokenRules(
    in folder: URL, _ key: EncryptionKey?
  ) async throws -> [BrokenTokenCacheRule] {
    // The suite looks at one cache after the other, so the second instance is one of the last that was made.
    let last = Locked(folder)
    let open: @Sendable (URL) throws -> any TokenCache = { url in
      let cache = try ProofCache.open(url)
      return key.map { EncryptedTokenCache(wrapping: cache, key: $0) } ?? cache
    }
    var suite = TokenCacheConformance {
      let url = folder.appendingPathComponent(UUID().uuidString)
      last.withLock { $0 = url }
      return try open(url)
    }
    suite.makeSecondInstance = { _ in try open(last.withLock { $0 }) }
    return try await suite.brokenRules()
  }
}
