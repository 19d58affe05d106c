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
  /// - Throws: `TokenCacheError` when another user could read or replace the directory; GRDB's `DatabaseError`.
  public init(directory: URL, lockTimeout: Duration = .seconds(30)) throws {
    self.directory = directory
    // It also checks that only this user can read the directory, and creates it so.
    locks = try FileTokenCache(directory: directory, lockTimeout: lockTimeout)
    // SQLite does not wait where two processes turn a new database to its write-ahead log: one at a time sets it up.
    let setUp = try Self.openFile(directory.appendingPathComponent("tokens.lock"), O_CREAT)
    defer { close(setUp) }
    while flock(setUp, LOCK_EX) != 0 { guard errno == EINTR else { throw CocoaError(.fileLocking) } }
    // SQLite gives its other files the mode of this one. Only a new file is opened here: closing one that is in use would
    // free the locks that SQLite holds on it.
    let file = directory.appendingPathComponent("tokens.sqlite")
    if !FileManager.default.fileExists(atPath: file.path) { close(try Self.openFile(file, O_CREAT | O_EXCL)) }
    var configuration = Configuration()
    configuration.busyMode = .timeout(lockTimeout / .seconds(1))
    // A refresh token that rotated must not be lost with the power: flush at each commit.
    configuration.prepareDatabase { try $0.execute(sql: "PRAGMA synchronous = FULL") }
    database = try DatabasePool(path: file.path, configuration: configuration)
    try database.write {
      // Keys are plain ASCII and compared byte by byte.
      try $0.execute(
        sql:
          "CREATE TABLE IF NOT EXISTS tokens (key TEXT PRIMARY KEY COLLATE BINARY, record BLOB NOT NULL) WITHOUT ROWID")
    }
  }

  /// Opens a file that only this user can read.
  private static func openFile(_ file: URL, _ flags: Int32) throws -> Int32 {
    let descriptor = open(file.path, flags | O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw CocoaError(.fileWriteNoPermission) }
    return descriptor
  }

  /// Returns the record of a key, or `nil`.
  public func record(for key: TokenCacheKey) async throws -> TokenRecord? {
    try await database.read { try Self.record(key, in: $0) }
  }

  /// Stores a record in place of an older one.
  public func store(_ record: TokenRecord, for key: TokenCacheKey) async throws {
    try await write { try Self.store(record, key, in: $0) }
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
  public func withRefreshLock<Result: Sendable>(
    for key: TokenCacheKey, _ body: @Sendable () async throws -> Result
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
