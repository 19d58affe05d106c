@_exported public import B2CCore
public import Foundation

/// A store for tokens between calls and between launches.
///
/// Four short methods are the whole contract: no callbacks, no ordering, no rules about threads. Absence is `nil`; an error
/// means that the cache failed, and then nothing is concluded about what it holds. An error of your own, for example your
/// database driver's, counts as one that may pass. For a record that can never be read again, throw ``ConnectorError`` with code
/// ``ErrorCode/tokenCache`` and `isRetryable: false`: the app then asks the user to sign in again. A cache that has to wait for
/// another process waits until its task is cancelled.
///
/// A cache is an object, an actor or a class, because its identity tells two connectors that they are over the same one.
/// Calls for different keys may come at once; those that change one key come one after another from one process.
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
  /// - Parameter key: The key to look up.
  /// - Returns: The record, or `nil` when there is none.
  /// - Throws: Any error when the record cannot be read.
  func record(for key: TokenCacheKey) async throws -> TokenRecord?

  /// Stores a record, replacing the one that was there.
  ///
  /// - Parameters:
  ///   - record: The record to keep.
  ///   - key: The key to keep it under.
  /// - Throws: Any error when it cannot be written; the old record then stays.
  func store(_ record: TokenRecord, for key: TokenCacheKey) async throws

  /// Removes the record of a key, if there is one.
  ///
  /// - Parameter key: The key to remove.
  /// - Throws: Any error when it cannot be removed.
  func removeRecord(for key: TokenCacheKey) async throws

  /// Returns the keys of all records, in any order.
  ///
  /// - Returns: Each key once.
  /// - Throws: Any error when they cannot be listed.
  func keys() async throws -> [TokenCacheKey]
}

/// A token cache that several processes share.
///
/// With its two methods a refresh token is used once, however many processes wait for a new access token: the refresh lock
/// is held during the token request, the record is read again inside, and the answer is written by ``replace(_:expecting:with:)``.
/// Sign-in and sign-out never take the refresh lock, so neither waits for a request.
public protocol SharedTokenCache: TokenCache {
  /// Replaces the record of a key if it is still the one that the caller has read, in one atomic step.
  ///
  /// In a database: `UPDATE … WHERE key = ? AND stamp = ?`.
  ///
  /// - Parameters:
  ///   - key: The key of the record.
  ///   - stamp: The ``TokenRecord/stamp`` of the record that was read.
  ///   - record: The record to keep in its place, with a stamp of its own.
  /// - Returns: Whether it was replaced; `false` when there is no record, or one with another stamp, which then stays.
  /// - Throws: Any error when it cannot be written; the old record then stays.
  func replace(_ key: TokenCacheKey, expecting stamp: UUID, with record: TokenRecord) async throws -> Bool

  /// Runs the work of a refresh while no other process holds the refresh lock of the same key.
  ///
  /// Only other processes have to be kept out: within a process the connectors over a cache run one refresh of a user at a
  /// time. The lock is held for one token request, and released when its process ends. It does not lock the record: reading,
  /// storing, replacing and removing go on meanwhile, inside the work as well. Wait for the lock until the task is
  /// cancelled; the connector cancels it when the wait takes longer than twice the limit of a request.
  ///
  /// - Parameters:
  ///   - key: The key whose refresh token is about to be used.
  ///   - work: The refresh. Run it once with `await work()`.
  /// - Throws: Any error when the lock cannot be taken, and `CancellationError` when the task is cancelled first. The work
  ///   has not run then.
  func withRefreshLock(for key: TokenCacheKey, _ work: RefreshWork) async throws
}

/// The work of one refresh, which a ``SharedTokenCache`` runs under its refresh lock.
///
/// It is a struct because apps with approachable concurrency give an `async` closure parameter another type
/// (`nonisolated(nonsending)`), so that a cache written there would not conform to the protocol.
public struct RefreshWork: Sendable {
  private let body: @Sendable () async -> Void

  /// Wraps the work.
  package init(_ body: @escaping @Sendable () async -> Void) { self.body = body }

  /// Runs the work; it keeps its errors to itself.
  public func callAsFunction() async { await body() }
}
