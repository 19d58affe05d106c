internal import B2CCore
internal import Foundation

/// The storage of a cache, either a directory or the keychain, whose calls block and act on the item of one record.
package protocol RecordStorage: Sendable {
  /// Whether no other process changes the items, so that a record in memory is known to be current.
  var isOwn: Bool { get }

  /// Returns the item of a key, or `nil` if there is none.
  ///
  /// - Throws: ``DamagedRecord`` if there is something else in its place; ``ConnectorError`` if it cannot be read.
  func read(_ key: TokenCacheKey) throws -> (bytes: [UInt8], stamp: FileStamp?)?

  /// Returns the current stamp of the item of a key, or `nil` if there is no item or items are not files.
  func stamp(of key: TokenCacheKey) throws -> FileStamp?

  /// Replaces the item of a key, whose write lock the caller holds.
  func write(_ bytes: [UInt8], for key: TokenCacheKey) throws

  /// Removes the item of a key, whose write lock the caller holds, even if it is damaged.
  func remove(_ key: TokenCacheKey) throws

  /// Returns the keys of all items, and an error for each item whose key cannot be read because the item is damaged.
  func keys() throws -> (keys: [TokenCacheKey], failures: [ConnectorError])

  /// Removes the items without a readable key that the last listing found, unless they have been replaced since.
  func removeDamaged(alsoNewer: Bool) throws

  /// Returns the name of the item of a key for error messages.
  func name(of key: TokenCacheKey) -> String

  /// Takes a lock without waiting and returns the call that releases it, or `nil` if another process holds the lock.
  func takeLock(_ purpose: LockPurpose, _ key: TokenCacheKey) throws -> LockRelease?
}

/// The purpose of a record's lock, because a write is short but a refresh lasts as long as a token request.
package enum LockPurpose: Sendable {
  case writing
  case refreshing
}

/// The call that releases a lock, which must be called exactly once.
package typealias LockRelease = @Sendable () -> Void

/// An item that is not a usable record of its key.
package struct DamagedRecord: Error {
  let reason: String
  /// The position of the record, if it could be read.
  var position: Int64?
  /// Whether a newer version wrote the item, which then only a sign-out may remove.
  var isNewer = false

  /// Returns the error that reports the item, with `needsInteraction`, because only signing in or out removes it.
  func error(_ name: String) -> ConnectorError {
    var error = ConnectorError(
      own: .tokenCache, "\(name) is not a usable token record: \(reason).",
      recoverySuggestion: "Sign in again, which removes it. The records of other users are not affected.",
      needsInteraction: true)
    // The damaged record may be that of the latest sign-in, so it counts as the latest, and no other user becomes
    // current. An item of a newer version does not count, because no sign-in would ever remove it.
    error.recordPosition = position ?? (isNewer ? nil : .max)
    return error
  }
}
