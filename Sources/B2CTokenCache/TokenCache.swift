@_exported public import B2CCore
public import Foundation

/// A store for tokens that outlives a call and, usually, the process.
///
/// You write four short methods, which may run on any thread. Return `nil` if there is no record. An error means that
/// the cache failed, and the SDK then concludes nothing about the records.
///
/// If you throw an error of your own, for example your database driver's, the SDK treats it as temporary. If a record
/// can never be read again, throw ``ConnectorError`` with code ``ErrorCode/tokenCache`` and `isRetryable: false`, and
/// the app then asks the user to sign in again. If your cache waits for another process, let it wait until the task is
/// cancelled.
///
/// A cache is an actor or a class, because connectors recognize by its identity that they use the same one. Calls for
/// different keys may run at the same time. Within a process, calls that change the same key run one after another.
///
/// ```swift
/// actor MyCache: TokenCache {
///   private var records: [TokenCacheKey: TokenRecord] = [:]
///   func record(for key: TokenCacheKey) -> TokenRecord? { records[key] }
///   func store(_ record: TokenRecord, for key: TokenCacheKey) { records[key] = record }
///   func removeRecord(for key: TokenCacheKey) { records[key] = nil }
///   func keys() -> [TokenCacheKey] { Array(records.keys) }
/// }
/// ```
public protocol TokenCache: AnyObject, Sendable {
  /// Returns the record of a key.
  ///
  /// - Parameter key: The key of the record.
  /// - Returns: The record, or `nil` if there is none.
  /// - Throws: Any error if the record cannot be read.
  func record(for key: TokenCacheKey) async throws -> TokenRecord?

  /// Stores a record, replacing the previous record of the key.
  ///
  /// - Parameters:
  ///   - record: The record.
  ///   - key: The key of the record.
  /// - Throws: Any error if the record cannot be written. The previous record must then be unchanged.
  func store(_ record: TokenRecord, for key: TokenCacheKey) async throws

  /// Removes the record of a key, if there is one.
  ///
  /// - Parameter key: The key of the record.
  /// - Throws: Any error if the record cannot be removed.
  func removeRecord(for key: TokenCacheKey) async throws

  /// Returns the keys of all records, in any order.
  ///
  /// - Returns: The keys, each once.
  /// - Throws: Any error if the keys cannot be listed.
  func keys() async throws -> [TokenCacheKey]
}

/// A token cache that several processes share.
///
/// Its two methods ensure that a refresh token is used only once, even if several processes need a new access token.
/// During the token request, the SDK holds the refresh lock, under which it first reads the record again, and it stores
/// the response with ``replace(_:expecting:with:)``. A sign-in or sign-out never takes the refresh lock, so it does not
/// wait for a token request.
public protocol SharedTokenCache: TokenCache {
  /// Replaces the record of a key in one atomic step, if it is still the record that the caller has read.
  ///
  /// In a database, use `UPDATE … WHERE key = ? AND stamp = ?`.
  ///
  /// - Parameters:
  ///   - key: The key of the record.
  ///   - stamp: The ``TokenRecord/stamp`` of the record that was read.
  ///   - record: The new record, which has a new stamp.
  /// - Returns: Whether the record was replaced. The result is `false` if there is no record or its stamp differs, and
  ///   the cache is then unchanged.
  /// - Throws: Any error if the record cannot be written. The previous record must then be unchanged.
  func replace(_ key: TokenCacheKey, expecting stamp: UUID, with record: TokenRecord) async throws -> Bool

  /// Runs the work of a refresh while no other process holds the refresh lock of the same key.
  ///
  /// Only other processes must be kept out, because in one process only one refresh of a user runs at a time. The lock
  /// is held during one token request, and must be released if the process dies. It does not lock the record, so other
  /// calls, including those of the work itself, can read, store, replace and remove the record meanwhile. Wait for the
  /// lock until the task is cancelled. The connector cancels the task after twice the time limit of a request.
  ///
  /// - Parameters:
  ///   - key: The key of the record that is refreshed.
  ///   - work: The work of the refresh. Run it exactly once, with `await work()`.
  /// - Throws: Any error if the lock cannot be taken; `CancellationError` if the task is cancelled before. In both
  ///   cases the work must not have run.
  func withRefreshLock(for key: TokenCacheKey, _ work: RefreshWork) async throws
}

/// The work of one refresh, which a ``SharedTokenCache`` runs under its refresh lock.
///
/// It is a struct and not a closure, because in apps with approachable concurrency an `async` closure parameter has
/// another type (`nonisolated(nonsending)`), and a cache that is written there would not conform to the protocol.
public struct RefreshWork: Sendable {
  private let body: @Sendable () async -> Void

  /// Creates the work from a closure.
  package init(_ body: @escaping @Sendable () async -> Void) { self.body = body }

  /// Runs the work, which reports its errors to the SDK itself.
  public func callAsFunction() async { await body() }
}
