import B2CConnector
import Crypto
import Foundation

/// The sessions of signed-in browsers: a random cookie for each, of which the table has the hash.
struct Sessions: Sendable {
  /// Seconds.
  static let lifetime = 8 * 3_600
  let table: any SessionTable

  /// Begins a session and ends the one that the browser had; returns the new cookie.
  func begin(_ user: UserInfo, replacing old: String?) async throws -> String {
    let cookie = SymmetricKey(size: .bits256).withUnsafeBytes { Data($0).base64EncodedString() }
    if let old { try await table.remove(hash(old)) }
    try await table.add(hash(cookie), of: user.id)
    return cookie
  }

  func user(of cookie: String) async throws -> UserInfo? {
    try await table.userID(of: hash(cookie)).map { UserInfo(id: $0) }
  }

  /// Ends all sessions of a user: without tokens those in other browsers could do nothing.
  func endAll(of user: UserInfo) async throws { try await table.removeAll(of: user.id) }

  private func hash(_ cookie: String) -> Data { Data(SHA256.hash(data: Data(cookie.utf8))) }
}

/// Where sessions are kept, by hash.
protocol SessionTable: Sendable {
  func add(_ hash: Data, of userID: String) async throws
  func userID(of hash: Data) async throws -> String?
  func remove(_ hash: Data) async throws
  func removeAll(of userID: String) async throws
}

/// The sessions of one process, which end with it.
actor SessionsInMemory: SessionTable {
  private var rows: [Data: (userID: String, end: ContinuousClock.Instant)] = [:]

  func add(_ hash: Data, of userID: String) {
    rows = rows.filter { $0.value.end > .now }
    rows[hash] = (userID, ContinuousClock.now + .seconds(Sessions.lifetime))
  }

  func userID(of hash: Data) -> String? { rows[hash].flatMap { $0.end > .now ? $0.userID : nil } }
  func remove(_ hash: Data) { rows[hash] = nil }
  func removeAll(of userID: String) { rows = rows.filter { $0.value.userID != userID } }
}

#if canImport(CPostgreSQL)
  /// The sessions of all instances, in the database that has the tokens.
  extension PostgreSQLTokenCache: SessionTable {
    func add(_ hash: Data, of userID: String) async throws {
      try await run("DELETE FROM task_sessions WHERE ends < now()")
      try await run(
        """
        INSERT INTO task_sessions (hash, user_id, ends) VALUES ($1, $2, now() + interval '\(Sessions.lifetime) seconds')
        ON CONFLICT DO NOTHING
        """, [hash, Data(userID.utf8)])
    }

    func userID(of hash: Data) async throws -> String? {
      try await run("SELECT user_id FROM task_sessions WHERE hash = $1 AND ends > now()", [hash]).first
        .map { String(decoding: $0[0], as: UTF8.self) }
    }

    func remove(_ hash: Data) async throws { try await run("DELETE FROM task_sessions WHERE hash = $1", [hash]) }

    func removeAll(of userID: String) async throws {
      try await run("DELETE FROM task_sessions WHERE user_id = $1", [Data(userID.utf8)])
    }
  }
#endif
