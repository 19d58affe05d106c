internal import B2CCore
package import Foundation

/// Keychain records with locks: those of this process, or with a directory those of all processes that name it.
package struct SharedKeychain: SharedTokenCache {
  private let records: KeychainRecords
  /// The locks of this process alone.
  private let local: LocallySharedTokenCache
  private let directory: LockDirectory?

  /// Adds the locks of this process.
  package init(_ records: KeychainRecords) {
    self.records = records
    local = LocallySharedTokenCache(records)
    directory = nil
  }

  /// Adds locks between processes, as files in a directory that they all reach.
  ///
  /// The records have to be those of a ``KeychainProcess/sharing`` process, which looks at an item before it uses a copy.
  package init(
    _ records: KeychainRecords, lockedIn container: URL, lockTimeout: Duration = .seconds(30),
    clock: any Clock<Duration> = ContinuousClock(), now: @escaping @Sendable () -> Date = { Date() },
    files: any FileSystem = POSIXFileSystem(), containers: AppContainers? = .ofSystem
  ) {
    self.records = records
    local = LocallySharedTokenCache(records)
    directory = LockDirectory(
      in: container, lockTimeout: lockTimeout, clock: clock, now: now, files: files, containers: containers)
  }

  package func record(for key: TokenCacheKey) async throws -> TokenRecord? {
    // A directory that is no use shows with the first call, before a sign-in.
    try await directory?.open()
    return try await records.record(for: key)
  }

  package func keys() async throws -> [TokenCacheKey] {
    try await directory?.open()
    return try await records.keys()
  }

  package func store(_ record: TokenRecord, for key: TokenCacheKey) async throws {
    guard let directory else { return try await local.store(record, for: key) }
    try await holdingWriteLock(RecordDirectory.Name(key), in: directory) { try await records.store(record, for: key) }
  }

  package func removeRecord(for key: TokenCacheKey) async throws {
    guard let directory else { return try await local.removeRecord(for: key) }
    try await directory.open()
    // What is not there needs no lock file, which a full disk does not take.
    if await records.isAbsent(key) { return }
    try await holdingWriteLock(RecordDirectory.Name(key), in: directory) { try await records.removeRecord(for: key) }
  }

  @discardableResult
  package func update(
    _ key: TokenCacheKey, _ change: @escaping @Sendable (TokenRecord?) -> TokenRecord?
  ) async throws -> TokenRecord? {
    guard let directory else { return try await local.update(key, change) }
    return try await holdingWriteLock(RecordDirectory.Name(key), in: directory) {
      try await records.change(key, change)
    }
  }

  package func withRefreshLock<Result: Sendable>(
    for key: TokenCacheKey, _ body: @Sendable () async throws -> Result
  ) async throws -> Result {
    guard let directory else { return try await local.withRefreshLock(for: key, body) }
    try await directory.open()
    return try await directory.locks.withRefreshLock(for: key) {
      // Another process may have used the refresh token that is in memory.
      try await records.forgetCopy(of: key)
      return try await body()
    }
  }

  private func holdingWriteLock<Value: Sendable>(
    _ name: RecordDirectory.Name, in directory: LockDirectory, _ body: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    try await directory.open()
    return try await directory.locks.holdingWriteLock(name, body)
  }
}

extension SharedKeychain: StoreIdentifying {
  package var sharedState: CacheState { records.sharedState }

  package func forgetCopy(of key: TokenCacheKey) async throws {
    try await records.forgetCopy(of: key)
  }
}

extension SharedKeychain: InspectableTokenCache {
  /// Adds an item to the keychain and removes it, under a write lock where processes have one.
  package func proveWritable() async throws {
    guard let directory else { return try await records.proveWritable() }
    try await holdingWriteLock(.probe, in: directory) { try await records.proveWritable() }
  }
}

extension KeychainProcess {
  /// The same process over items that other processes change too, whatever their group is called.
  package var sharing: KeychainProcess {
    var process = self
    process.bundleID = nil
    return process
  }
}
