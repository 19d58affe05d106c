import B2CConnector
import CPostgreSQL
import Dispatch
import Foundation

/// A token cache in a PostgreSQL database: the tokens of many users, shared by the processes of several machines.
///
/// The table, which is created beforehand:
///
///     CREATE TABLE b2c_tokens (key text COLLATE "C" PRIMARY KEY, stamp uuid NOT NULL, record bytea NOT NULL)
///
/// The server has to show a certificate for its name, unless the connection string says otherwise (`sslmode`); over a Unix
/// socket there is none. A refresh lock is an advisory lock: it belongs to its connection, so the server frees it when the
/// process that holds it has died.
///
/// libpq blocks, so there are eight connections with a thread each, opened when they are needed. Each holds one refresh
/// lock at most, and serves other statements meanwhile. The ninth lock waits for one of the eight. A connection that is lost
/// is opened again, and its statement run once more, which every statement here allows.
///
/// Not behind a pooler that gives a connection to each transaction (PgBouncer with `pool_mode = transaction`): an advisory
/// lock and its release would come to different connections. Leave `synchronous_commit` on: a refresh token that rotated
/// must not be lost.
///
/// Copy this file, and the system library target beside it, into a package. The table is as secret as the tokens in it.
public actor PostgreSQLTokenCache: SharedTokenCache {
  private let connections: [Connection]
  /// Statements under way and waiting, for each connection.
  private var load: [Int]
  /// Whether a connection holds a refresh lock, or tries to get one.
  private var isLocking: [Bool]

  /// Makes the cache; the first call opens a connection.
  ///
  /// - Parameter database: A connection string or URI of libpq, or a database's name. What it leaves out comes from `PGHOST`
  ///   and the other variables of libpq, a password also from `~/.pgpass`; `sslmode` is `verify-full` then.
  public init(_ database: String = "") {
    connections = (0..<8).map { _ in Connection(database) }
    load = connections.map { _ in 0 }
    isLocking = connections.map { _ in false }
  }

  /// Returns the record of a key, or `nil`.
  public func record(for key: TokenCacheKey) async throws -> TokenRecord? {
    guard let row = try await run("SELECT record FROM b2c_tokens WHERE key = $1", [key.bytes]).first else { return nil }
    do {
      return try JSONDecoder().decode(TokenRecord.self, from: row[0])
    } catch let error as ConnectorError {
      throw error
    } catch {
      // The decoder's own error may quote the record.
      throw ConnectorError(.tokenCache, "A row of the table b2c_tokens does not hold a token record.")
    }
  }

  /// Stores a record in place of an older one.
  public func store(_ record: TokenRecord, for key: TokenCacheKey) async throws {
    try await run(
      """
      INSERT INTO b2c_tokens (key, stamp, record) VALUES ($1, $2, $3)
      ON CONFLICT (key) DO UPDATE SET stamp = excluded.stamp, record = excluded.record
      """, [key.bytes, record.stamp.bytes, try JSONEncoder().encode(record)])
  }

  /// Removes the record of a key.
  public func removeRecord(for key: TokenCacheKey) async throws {
    try await run("DELETE FROM b2c_tokens WHERE key = $1", [key.bytes])
  }

  /// Returns the keys of all records.
  public func keys() async throws -> [TokenCacheKey] {
    try await run("SELECT key FROM b2c_tokens").compactMap {
      TokenCacheKey(canonicalText: String(decoding: $0[0], as: UTF8.self))
    }
  }

  /// Replaces the record of a key if it has the expected stamp.
  public func replace(_ key: TokenCacheKey, expecting stamp: UUID, with record: TokenRecord) async throws -> Bool {
    try await !run(
      "UPDATE b2c_tokens SET stamp = $2, record = $3 WHERE key = $1 AND stamp = $4 RETURNING true",
      [key.bytes, record.stamp.bytes, try JSONEncoder().encode(record), stamp.bytes]
    ).isEmpty
  }

  /// Runs the work of a refresh while no other caller or process holds the refresh lock of the key.
  public func withRefreshLock(for key: TokenCacheKey, _ work: RefreshWork) async throws {
    let holder = try await lock(key)
    let isCancelled = Task.isCancelled
    if !isCancelled { await work() }
    await unlock(key, holder)
    if isCancelled { throw CancellationError() }
  }

  // MARK: Refresh locks

  /// Takes the refresh lock of a key, and returns the number of the connection that holds it.
  ///
  /// It waits until the task is cancelled, which the connector does after twice the limit of a request.
  ///
  /// The lock is tried without waiting in the server, so that another process that hangs keeps no connection from its work.
  private func lock(_ key: TokenCacheKey) async throws -> Int {
    while true {
      if let number = leastBusy(where: { !isLocking[$0] }) {
        isLocking[number] = true
        do {
          let answer = try await run(
            "SELECT pg_try_advisory_lock(hashtextextended($1, 0))", [key.bytes], on: number)
          if answer.first?.first == Data([1]) { return number }
        } catch {
          await connections[number].close()
          isLocking[number] = false
          throw error
        }
        isLocking[number] = false
      }
      try await Task.sleep(for: .milliseconds(Int.random(in: 5...30)))
    }
  }

  private func unlock(_ key: TokenCacheKey, _ number: Int) async {
    do {
      _ = try await once("SELECT pg_advisory_unlock(hashtextextended($1, 0))", [key.bytes], on: number)
    } catch {
      // What the server does not unlock ends with its connection.
      await connections[number].close()
    }
    isLocking[number] = false
  }

  // MARK: Statements

  private func leastBusy(where isUsable: (Int) -> Bool = { _ in true }) -> Int? {
    load.indices.filter(isUsable).min { load[$0] < load[$1] }
  }

  /// Runs a statement, also one about a table of the server's own; again where its connection was lost.
  ///
  /// A replacement that took place and whose answer was lost finds its own stamp then, and returns no row: the caller reads
  /// the record again.
  @discardableResult
  func run(_ statement: String, _ parameters: [Data] = [], on number: Int? = nil) async throws -> [[Data]] {
    do {
      return try await once(statement, parameters, on: number)
    } catch is ConnectionLost {
      do {
        return try await once(statement, parameters, on: number)
      } catch is ConnectionLost {
        throw ConnectorError(.tokenCache, "The connection to PostgreSQL was lost.", isRetryable: true)
      }
    }
  }

  private func once(_ statement: String, _ parameters: [Data], on number: Int? = nil) async throws -> [[Data]] {
    let number = number ?? leastBusy() ?? 0
    load[number] += 1
    defer { load[number] -= 1 }
    return try await connections[number].run(statement, parameters)
  }
}

extension TokenCacheKey {
  fileprivate var bytes: Data { Data(canonicalText.utf8) }
}

extension UUID {
  fileprivate var bytes: Data { withUnsafeBytes(of: uuid) { Data($0) } }
}

/// The connection was lost while a statement was under way: the server may have run it.
private struct ConnectionLost: Error {}

/// A connection with a thread of its own, opened when a statement comes and after it was lost.
private actor Connection {
  private nonisolated let thread = ConnectionThread()
  private let database: String
  private var session: Session?

  nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

  init(_ database: String) {
    self.database = database
  }

  func close() {
    session = nil
  }

  func run(_ statement: String, _ parameters: [Data]) throws -> [[Data]] {
    let session = try session ?? Session(database)
    self.session = session
    do {
      return try session.run(statement, parameters)
    } catch let failure as Session.Failure {
      guard session.isOpen else {
        self.session = nil
        throw ConnectionLost()
      }
      // The server's own words may quote the row.
      throw ConnectorError(
        .tokenCache, "PostgreSQL refused a statement: SQLSTATE \(failure.state).",
        recoverySuggestion: "Look the state up in PostgreSQL's table of error codes, and the words in the server's log."
      )
    }
  }
}

/// Statements that block wait on a serial queue, not on the threads that all tasks share.
private final class ConnectionThread: SerialExecutor {
  private let queue = DispatchQueue(label: "PostgreSQLTokenCache")

  func enqueue(_ job: UnownedJob) {
    queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }
}

/// One open connection of libpq, closed with the last reference to it.
private final class Session {
  struct Failure: Error {
    let state: String
  }

  private let handle: OpaquePointer

  init(_ database: String) throws {
    // What the app writes comes last, and so wins. By libpq's own default a server without TLS, or with any certificate, would
    // get the password and the tokens. A server that is gone is noticed, and a statement does not wait for ever.
    let settings = [
      ("sslmode", "verify-full"), ("connect_timeout", "10"), ("tcp_user_timeout", "10000"), ("keepalives_idle", "10"),
      ("options", "-c statement_timeout=10000"), ("fallback_application_name", "b2c-token-cache"), ("dbname", database),
    ]
    let names = settings.map { strdup($0.0) } + [nil]
    let values = settings.map { strdup($0.1) } + [nil]
    defer { for text in names + values { free(text) } }
    guard let handle = PQconnectdbParams(names.map { UnsafePointer($0) }, values.map { UnsafePointer($0) }, 1) else {
      throw ConnectorError(.tokenCache, "There is no memory for a connection to PostgreSQL.")
    }
    guard PQstatus(handle) == CONNECTION_OK else {
      let needsPassword = PQconnectionNeedsPassword(handle) != 0
      PQfinish(handle)
      // libpq's words may quote the connection string, and with it a password.
      throw ConnectorError(
        .tokenCache,
        needsPassword ? "PostgreSQL asks for a password." : "PostgreSQL cannot be reached, or refuses the connection.",
        recoverySuggestion:
          "`psql` with the same connection string says why; here sslmode is verify-full where the string has none.",
        isRetryable: !needsPassword)
    }
    PQsetNoticeProcessor(handle, { _, _ in }, nil)
    self.handle = handle
  }

  deinit {
    PQfinish(handle)
  }

  var isOpen: Bool { PQstatus(handle) == CONNECTION_OK }

  /// Runs a statement; parameters and results are in binary form, and apart from the SQL.
  func run(_ statement: String, _ parameters: [Data]) throws -> [[Data]] {
    let bytes = [UInt8](parameters.joined()) + [0]
    let result = bytes.withUnsafeBytes { buffer in
      var start = 0
      let values = parameters.map { parameter in
        defer { start += parameter.count }
        return buffer.baseAddress?.advanced(by: start).assumingMemoryBound(to: CChar.self)
      }
      return PQexecParams(
        handle, statement, Int32(parameters.count), nil, values, parameters.map { Int32($0.count) },
        parameters.map { _ in 1 }, 1)
    }
    defer { PQclear(result) }
    guard [PGRES_TUPLES_OK, PGRES_COMMAND_OK].contains(PQresultStatus(result)) else {
      throw Failure(
        state: PQresultErrorField(result, Int32(UInt8(ascii: "C"))).map { String(cString: $0) } ?? "unknown")
    }
    return (0..<PQntuples(result)).map { row in
      (0..<PQnfields(result)).map { Data(bytes: PQgetvalue(result, row, $0), count: Int(PQgetlength(result, row, $0))) }
    }
  }
}
