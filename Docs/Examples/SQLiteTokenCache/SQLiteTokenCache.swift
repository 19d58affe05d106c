import B2CConnector
import Foundation
import GRDB

/// A token cache in an SQLite database: the tokens of many users on one machine, shared by its processes.
///
/// One row for each record; SQLite's write-ahead log lets readers go on while one process writes. The refresh locks are those
/// of a cache in files beside the database: the system frees them when a process dies, which a row in a table cannot.
///
/// Copy this file into a package that depends on GRDB (7 or newer). The database is as secret as the tokens in it.
public final class SQLiteTokenCache: SharedTokenCache {
  private static let busyTime = 30.0

  private let database: DatabasePool
  private let locks: StoredTokenCache

  /// Opens the cache, and creates it when there is none.
  ///
  /// - Parameter directory: The directory of the database and of the locks, for this cache alone. It is created where it is
  ///   missing.
  /// - Throws: `ConnectorError` with code `tokenCache` when another user could replace what is in the directory, when a file
  ///   cannot be opened, and when another process sets the database up for more than 30 seconds; GRDB's `DatabaseError`.
  public init(directory: URL) throws {
    // It also checks that no other user can write to the directory, and creates it so.
    locks = try .files(at: directory)
    let setUp = try Self.setUpLock(in: directory)
    defer { close(setUp) }
    // SQLite gives its other files the mode of this one. Only a new file is opened here: closing one that is in use would
    // free the locks that SQLite holds on it.
    let file = directory.appendingPathComponent("tokens.sqlite").path
    if !FileManager.default.fileExists(atPath: file) { close(try Self.openFile(file, O_CREAT | O_EXCL)) }
    var configuration = Configuration()
    configuration.busyMode = .timeout(Self.busyTime)
    database = try DatabasePool(path: file, configuration: configuration)
    // A refresh token that rotated must not be lost with the power: flush at each commit. Not in the configuration, which
    // GRDB applies before it sets NORMAL for the write-ahead log.
    let flush = try database.writeWithoutTransaction {
      try $0.execute(sql: "PRAGMA synchronous = FULL; PRAGMA fullfsync = ON")
      return try Int.fetchOne($0, sql: "PRAGMA synchronous")
    }
    guard flush == 2 else { throw ConnectorError(.tokenCache, "\(file): SQLite does not flush at each commit.") }
    try database.write {
      // Keys are plain ASCII and compared byte by byte.
      try $0.execute(
        sql: """
          CREATE TABLE IF NOT EXISTS tokens
          (key TEXT PRIMARY KEY COLLATE BINARY, stamp TEXT NOT NULL, record BLOB NOT NULL) WITHOUT ROWID
          """)
    }
  }

  /// One process at a time sets the database up: SQLite does not wait where two turn a new one to its write-ahead log.
  private static func setUpLock(in directory: URL) throws -> Int32 {
    let file = directory.appendingPathComponent("tokens.lock").path
    let descriptor = try openFile(file, O_CREAT)
    let end = ContinuousClock.now + .seconds(busyTime)
    while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
      guard errno == EWOULDBLOCK || errno == EINTR, .now < end else {
        close(descriptor)
        throw ConnectorError(.tokenCache, "\(file) was not released in time.", isRetryable: true)
      }
      usleep(5_000)
    }
    return descriptor
  }

  /// Opens a file that only this user can read.
  private static func openFile(_ file: String, _ flags: Int32) throws -> Int32 {
    let descriptor = open(file, flags | O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else {
      throw ConnectorError(.tokenCache, "\(file) cannot be opened: \(String(cString: strerror(errno))).")
    }
    return descriptor
  }

  /// Returns the record of a key, or `nil`.
  public func record(for key: TokenCacheKey) async throws -> TokenRecord? {
    try await database.read {
      try Data.fetchOne($0, sql: "SELECT record FROM tokens WHERE key = ?", arguments: [key.canonicalText])
    }.map { try JSONDecoder().decode(TokenRecord.self, from: $0) }
  }

  /// Stores a record in place of an older one.
  public func store(_ record: TokenRecord, for key: TokenCacheKey) async throws {
    try await write(
      """
      INSERT INTO tokens (key, stamp, record) VALUES (?, ?, ?)
      ON CONFLICT (key) DO UPDATE SET stamp = excluded.stamp, record = excluded.record
      """, [key.canonicalText, record.stamp.uuidString, try JSONEncoder().encode(record)])
  }

  /// Removes the record of a key.
  public func removeRecord(for key: TokenCacheKey) async throws {
    try await write("DELETE FROM tokens WHERE key = ?", [key.canonicalText])
  }

  /// Returns the keys of all records.
  public func keys() async throws -> [TokenCacheKey] {
    try await database.read { try String.fetchAll($0, sql: "SELECT key FROM tokens") }
      .compactMap { TokenCacheKey(canonicalText: $0) }
  }

  /// Replaces the record of a key if it has the expected stamp.
  public func replace(_ key: TokenCacheKey, expecting stamp: UUID, with record: TokenRecord) async throws -> Bool {
    try await write(
      "UPDATE tokens SET stamp = ?, record = ? WHERE key = ? AND stamp = ?",
      [record.stamp.uuidString, try JSONEncoder().encode(record), key.canonicalText, stamp.uuidString]) == 1
  }

  /// Runs the work of a refresh while no other caller or process holds the refresh lock of the key.
  public func withRefreshLock(for key: TokenCacheKey, _ work: RefreshWork) async throws {
    try await locks.withRefreshLock(for: key, work)
  }

  /// Runs a statement, also when the caller is cancelled: a new refresh token must not be lost.
  ///
  /// - Returns: The number of rows that it changed.
  @discardableResult
  private func write(_ statement: String, _ arguments: StatementArguments) async throws -> Int {
    try await Task { [database] in
      try await database.write {
        try $0.execute(sql: statement, arguments: arguments)
        return $0.changesCount
      }
    }.value
  }
}
