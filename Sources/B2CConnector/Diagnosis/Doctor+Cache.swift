internal import Foundation

// The token cache.
extension Doctor {
  /// Looks at the cache's folder and at what is stored for this app, then writes, reads and removes a record of nobody.
  func cacheFinding() async throws -> Finding {
    let check = "token cache"
    do {
      let cache = try cache.get()
      // Opening it again checks who may write to the folder, which may have changed since.
      if let file = cache as? FileTokenCache { _ = try FileTokenCache(directory: file.directory) }
      let count = try await readAll(cache)
      guard try await roundTrip(cache) else {
        return Finding(
          check, .failed, "\(type(of: cache)) does not give back what it was given",
          mend: "Prove the cache with TokenCacheConformance.")
      }
      let access = cache is FileTokenCache ? "; nobody else can read or write its files" : ""
      return Finding(check, .ok, "\(type(of: cache)) reads, writes and removes; records readable: \(count)\(access)")
    } catch is CancellationError {
      throw CancellationError()
    } catch {
      return Self.finding(of: error, check: check)
    }
  }

  /// Reads what is stored for this app: a file that others can read, or that is damaged, is found by reading it.
  private func readAll(_ cache: any TokenCache) async throws -> Int {
    let keys = try await cache.keys().filter { $0.clientID.lowercased() == settings.clientID.lowercased() }
    for key in keys { _ = try await cache.record(for: key) }
    return keys.count
  }

  /// Whether a record comes back as it was written, and is gone once it is removed.
  private func roundTrip(_ cache: any TokenCache) async throws -> Bool {
    let key = TokenCacheKey(
      authority: settings.authority.cacheID, policy: "", clientID: settings.clientID,
      accountID: "diagnosis.\(UUID().uuidString)")
    let record = TokenRecord(signedInAt: Date(timeIntervalSince1970: 0))
    try await cache.store(record, for: key)
    let read = try await cache.record(for: key)
    try await cache.removeRecord(for: key)
    let rest = try await cache.record(for: key)
    return read == record && rest == nil
  }
}
