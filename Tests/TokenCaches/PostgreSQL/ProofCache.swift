import B2CTokenCache
import CPostgreSQL
import Foundation
import PostgreSQLTokenCache
import TestSupport

/// `PostgreSQLTokenCache` of the examples, under the proofs: a directory's records are in a schema of their own.
enum ProofCache {
  static var proofs: [any ProofCommand.Type] {
    [LocksProof.self, LostLockProof.self, RestartProof.self, LockHolder.self]
  }
  /// Opening a connection takes some milliseconds.
  static let longestLife: UInt32 = 150_000

  /// Waits for the statement of a killed process: the server ends it, and then the session.
  static func waitForKilledProcesses() async throws {
    while try ProofServer.sessionsOfOthers() > 0 { try await Task.sleep(for: .milliseconds(5)) }
  }

  static func open(_ url: URL) throws -> some SharedTokenCache {
    let schema = "s_" + RefreshWorker.fingerprint(of: url.path)
    // An empty file says that there is one, so that a writer comes to its writing before it is killed.
    let mark = url.appendingPathComponent("schema").path
    if !FileManager.default.fileExists(atPath: mark) {
      try FileManager.default.createDirectory(
        at: url, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
      try ProofServer.createSchema(schema)
      _ = FileManager.default.createFile(atPath: mark, contents: nil, attributes: [.posixPermissions: 0o600])
    }
    return PostgreSQLTokenCache("\(try ProofServer.database()) options=-csearch_path=\(schema)")
  }
}

/// The server that `.ci/example-proofs` has started, without the cache.
enum ProofServer {
  static func database() throws -> String { "\(try variable("B2C_POSTGRESQL")) application_name=proof-\(getpid())" }

  static func createSchema(_ name: String) throws {
    do {
      // Statements that are sent together are one transaction.
      _ = try run(
        "CREATE SCHEMA IF NOT EXISTS \(name); SET search_path = \(name); \(try variable("B2C_POSTGRESQL_TABLE"))")
    } catch let error as Failure where ["23505", "42P07"].contains(where: error.description.contains) {
      // Another process has created it at the same moment.
    }
  }

  /// Ends every connection that holds an advisory lock, and returns their number.
  static func endLockHolders() throws -> Int {
    try run(
      """
      SELECT pg_terminate_backend(pid) FROM pg_locks
      WHERE locktype = 'advisory' AND granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
      """)
  }

  /// The number of the sessions of other processes.
  static func sessionsOfOthers() throws -> Int {
    try run(
      """
      SELECT 1 FROM pg_stat_activity
      WHERE application_name LIKE 'proof-%' AND application_name <> current_setting('application_name')
      """)
  }

  /// Restarts the server: `fast` ends its connections, `immediate` is a crash of it.
  static func restart(_ mode: String) throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: try variable("B2C_POSTGRESQL_CONTROL"))
    process.arguments = ["restart", "-m", mode]
    try process.run()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw Failure("the server did not start again") }
  }

  /// Runs a statement on a connection of its own, and returns the number of its rows.
  private static func run(_ statement: String) throws -> Int {
    let connection = PQconnectdb(try database())
    defer { PQfinish(connection) }
    PQsetNoticeProcessor(connection, { _, _ in }, nil)
    let result = PQexec(connection, statement)
    defer { PQclear(result) }
    guard [PGRES_TUPLES_OK, PGRES_COMMAND_OK].contains(PQresultStatus(result)) else {
      let state = PQresultErrorField(result, Int32(UInt8(ascii: "C"))).map { String(cString: $0) } ?? ""
      throw Failure("\(statement): \(state) \(String(cString: PQerrorMessage(connection)))")
    }
    return Int(PQntuples(result))
  }

  private static func variable(_ name: String) throws -> String {
    guard let value = ProcessInfo.processInfo.environment[name] else { throw Failure("\(name) is missing") }
    return value
  }
}
