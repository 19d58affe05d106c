/// Moves records from one token cache to another, so that nobody has to sign in again.
///
/// Each record is written to the new cache, read back, and only then removed from the old one. Stopped at any point, it
/// can be run again.
public struct TokenCacheMigration: Sendable {
  private let source: any TokenCache
  private let destination: any TokenCache

  /// Prepares a migration; nothing happens yet.
  ///
  /// - Parameters:
  ///   - source: Where the records are.
  ///   - destination: Where they shall be.
  public init(from source: any TokenCache, to destination: any TokenCache) {
    self.source = source
    self.destination = destination
  }

  /// Moves all records.
  ///
  /// Where both caches have a record of a key, that of the later sign-in stays. A record that cannot be moved is left
  /// where it is and reported; the others go on.
  ///
  /// - Parameter keepingSource: Whether to leave the old records where they are, too.
  /// - Returns: What became of each key.
  /// - Throws: The source's error when its keys cannot be listed; `CancellationError` between two records.
  public func run(keepingSource: Bool = false) async throws -> TokenCacheMigrationReport {
    var report = TokenCacheMigrationReport()
    for key in try await source.keys() {
      try Task.checkCancellation()
      do {
        switch try await move(key, keepingSource) {
        case .moved: report.moved.append(key)
        case .alreadyThere: report.alreadyThere.append(key)
        case .gone: break
        }
      } catch {
        report.failed.append(TokenCacheMigrationReport.Failure(key: key, error: error))
      }
    }
    return report
  }

  private enum Outcome {
    case moved, alreadyThere, gone
  }

  private func move(_ key: TokenCacheKey, _ keepingSource: Bool) async throws -> Outcome {
    guard let exclusive = source as? any ExclusiveTokenCache else { return try await moveFreely(key, keepingSource) }
    // A refresh by a process that still uses the source would otherwise be lost with it.
    return try await exclusive.withExclusiveAccess(to: key) { try await moveFreely(key, keepingSource) }
  }

  private func moveFreely(_ key: TokenCacheKey, _ keepingSource: Bool) async throws -> Outcome {
    guard let record = try await source.record(for: key) else { return .gone }
    let present = try await destination.record(for: key)
    let isKept = present.map { $0.signedInAt >= record.signedInAt } ?? false
    if !isKept {
      try await destination.store(record, for: key)
      guard let copy = try await destination.record(for: key), copy.refreshToken == record.refreshToken,
        copy.accessTokens.map(\.token) == record.accessTokens.map(\.token)
      else {
        throw TokenCacheError(.unwritable, "The new cache does not give back what was stored; the old record stays.")
      }
    }
    if !keepingSource { try await source.removeRecord(for: key) }
    return isKept ? .alreadyThere : .moved
  }
}
