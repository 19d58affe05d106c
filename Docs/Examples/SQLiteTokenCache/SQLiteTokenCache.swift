import B2CConnector
import Foundation
import GRDB

/// A token cache in an SQLite database: the tokens of many users on one machine, shared by its processes.
///
/// One row for each record; SQLite's write-ahead log lets readers go on while one process writes. The refresh locks are those
/// of a `FileTokenCache` beside the database: the system frees them when a process dies, which a row in a table cannot.
///
/// Copy this file into a package that depends on GRDB (7 or newer). The database is as secret as the tokens in it: wrap
/// the cache in `EncryptedTokenCache` where others can read the disk or its backup.
public final class SQLiteTokenCache: SharedTokenCache {
  /// The directory of the database and of the locks.
  public let directory: URL

  private let database: DatabasePool
  private let locks: FileTokenCache

  /// Opens the cache, and creates it when there is none.
  ///
  /// - Parameters:
  ///   - directory: The directory of the database and of the locks; only this user may read it. It is created where it is
  ///     missing.
  ///   - lockTimeout: How long to wait for another process.
  /// - Throws: `TokenCacheError` when another user could read or replace the directory, when a file cannot be opened, and
  ///   when another process sets the database up for longer than the timeout; GRDB's `DatabaseError`.
  public init(directory: URL, lockTimeout: Duration = .seconds(30)) throws {
    self.directory = directory
    // It also checks that only this user can read the directory, and creates it so.
    locks = try FileTokenCache(directory: directory, lockTimeout: lockTimeout)
    let setUp = try Self.setUpLock(in: directory, timeout: lockTimeout)
    defer { close(setUp) }
    // SQLite gives its other files the mode of this one. Only a new file is opened here: closing one that is in use would
    // free the locks that SQLite holds on it.
    let file = directory.appendingPathComponent("tokens.sqlite").path
    if !FileManager.default.fileExists(atPath: file) { close(try Self.openFile(file, O_CREAT | O_EXCL)) }
    var configuration = Configuration()
    configuration.busyMode = .timeout(lockTimeout / .seconds(1))
    database = try DatabasePool(path: file, configuration: configuration)
    // A refresh token that rotated must not be lost with the power: flush at each commit. Not in the configuration, which
    // GRDB applies before it sets NORMAL for the write-ahead log.
    let flush = try database.writeWithoutTransaction {
      try $0.execute(sql: "PRAGMA synchronous = FULL; PRAGMA fullfsync = ON")
      return try Int.fetchOne($0, sql: "PRAGMA synchronous")
    }
    guard flush == 2 else { throw TokenCacheError(.unwritable, "\(file): SQLite does not flush at each commit.") }
    try database.write {
      // Keys are plain ASCII and compared byte by byte.
      try $0.execute(
        sql:
          "CREATE TABLE IF NOT EXISTS tokens (key TEXT PRIMARY KEY COLLATE BINARY, record BLOB NOT NULL) WITHOUT ROWID")
    }
  }

  /// One process at a time sets the database up: SQLite does not wait where two turn a new one to its write-ahead log.
  private static func setUpLock(in directory: URL, timeout: Duration) throws -> Int32 {
    let file = directory.appendingPathComponent("tokens.lock").path
    let descriptor = try openFile(file, O_CREAT)
    let end = ContinuousClock.now + timeout
    while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
      guard errno == EWOULDBLOCK || errno == EINTR, .now < end else {
        close(descriptor)
        throw TokenCacheError(.lockTimedOut, "\(file) was not released in time.")
      }
      usleep(5_000)
    }
    return descriptor
  }

  /// Opens a file that only this user can read.
  private static func openFile(_ file: String, _ flags: Int32) throws -> Int32 {
    let descriptor = open(file, flags | O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else {
      throw TokenCacheError(.unwritable, "\(file) cannot be opened: \(String(cString: strerror(errno))).")
    }
    return descriptor
  }

  /// Returns the record of a key, or `nil`.
  public func record(for key: TokenCacheKey) async throws -> TokenRecord? {
    try await database.read { try Self.record(key, in: $0) }
  }

  /// Stores a record in place of an older one; that of a newer version of the package is not replaced.
  public func store(_ record: TokenRecord, for key: TokenCacheKey) async throws {
    try await write {
      do {
        _ = try Self.record(key, in: $0)
      } catch let error as TokenCacheError where error.code == .newerVersion {
        throw error
      } catch is DecodingError {
        // What cannot be read is replaced.
      }
      try Self.store(record, key, in: $0)
    }
  }

  /// Removes the record of a key.
  public func removeRecord(for key: TokenCacheKey) async throws {
    try await write { try Self.remove(key, in: $0) }
  }

  /// Returns the keys of all records.
  public func keys() async throws -> [TokenCacheKey] {
    try await database.read { try String.fetchAll($0, sql: "SELECT key FROM tokens") }
      .compactMap { TokenCacheKey(canonicalText: $0) }
  }

  /// Changes a record in one immediate transaction.
  @discardableResult
  public func update(
    _ key: TokenCacheKey, _ change: @escaping @Sendable (TokenRecord?) -> TokenRecord?
  ) async throws -> TokenRecord? {
    // From reading to writing, no other process writes.
    try await write { database in
      let old = try Self.record(key, in: database)
      let new = change(old)
      if let new { try Self.store(new, key, in: database) } else { try Self.remove(key, in: database) }
      return new
    }
  }

  /// Runs a body while no other process holds the refresh lock of the key.
  ///
  /// Swift 6.1 does not know `@concurrent`: leave it out there.
  public func withRefreshLock<Result: Sendable>(
    for key: TokenCacheKey, _ body: @concurrent @Sendable () async throws -> Result
  ) async throws -> Result {
    try await locks.withRefreshLock(for: key, body)
  }

  /// Writes also when the caller is cancelled: a new refresh token must not be lost.
  private func write<Value: Sendable>(_ change: @escaping @Sendable (Database) throws -> Value) async throws -> Value {
    let writing = Task { [database] in try await database.write(change) }
    return try await writing.value
  }

  private static func record(_ key: TokenCacheKey, in database: Database) throws -> TokenRecord? {
    try Data.fetchOne(database, sql: "SELECT record FROM tokens WHERE key = ?", arguments: [key.canonicalText])
      .map { try JSONDecoder().decode(TokenRecord.self, from: $0) }
  }

  private static func store(_ record: TokenRecord, _ key: TokenCacheKey, in database: Database) throws {
    try database.execute(
      sql: "INSERT INTO tokens (key, record) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET record = excluded.record",
      arguments: [key.canonicalText, try JSONEncoder().encode(record)])
  }

  private static func remove(_ key: TokenCacheKey, in database: Database) throws {
    try database.execute(sql: "DELETE FROM tokens WHERE key = ?", arguments: [key.canonicalText])
  }
}
