internal import B2CCore
internal import Foundation

/// The place of a stored cache: a directory or the keychain, as blocking calls on the item of one record.
package protocol RecordStorage: Sendable {
  /// Whether only this process changes the items, so that what was written need not be read again.
  var isOwn: Bool { get }

  /// Returns the item of a key; `nil` when there is none.
  ///
  /// - Throws: ``DamagedRecord`` when it is no item at all; ``ConnectorError`` when it cannot be read.
  func read(_ key: TokenCacheKey) throws -> (bytes: [UInt8], stamp: FileStamp?)?

  /// Returns the present stamp of the item of a key; `nil` if there is none, or if items are not files.
  func stamp(of key: TokenCacheKey) throws -> FileStamp?

  /// Replaces the item of a key, whatever was there; the caller holds the write lock.
  func write(_ bytes: [UInt8], for key: TokenCacheKey) throws

  /// Removes the item of a key, whatever it holds; the caller holds the write lock.
  func remove(_ key: TokenCacheKey) throws

  /// Returns the keys of all items, and why others cannot be read: an item whose key is inside may be damaged.
  func keys() throws -> (keys: [TokenCacheKey], failures: [ConnectorError])

  /// Removes the items without a key that the last listing found, as far as they are still damaged.
  func removeDamaged(alsoNewer: Bool) throws

  /// Names the item of a key in an error.
  func name(of key: TokenCacheKey) -> String

  /// Takes a lock without waiting, and returns the call that releases it; `nil` while another process has it.
  func takeLock(_ purpose: LockPurpose, _ key: TokenCacheKey) throws -> LockRelease?
}

/// The reason for which a record's lock is taken: a write is short, a refresh lasts as long as a token request.
package enum LockPurpose: Sendable {
  case writing
  case refreshing
}

/// Releases a lock that is held; to be called once.
package typealias LockRelease = @Sendable () -> Void

/// An item that is not a record of its key.
package struct DamagedRecord: Error {
  let reason: String
  /// The position of its record, if that could be read.
  var position: Int64?
  /// Whether a newer version wrote it: only a sign-out removes such an item.
  var isNewer = false

  /// Returns the error that reports it; only a sign-in or a sign-out removes a damaged item.
  func error(_ name: String) -> ConnectorError {
    var error = ConnectorError(
      own: .tokenCache, "\(name) is not a usable token record: \(reason).",
      recoverySuggestion: "Sign in again, which removes it. The records of other users are not affected.",
      needsInteraction: true)
    // It may be the record of the latest sign-in. An item of a newer version does not count, because no sign-in removes it.
    error.recordPosition = position ?? (isNewer ? nil : .max)
    return error
  }
}
