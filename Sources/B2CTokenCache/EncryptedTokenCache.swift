internal import B2CCore
internal import Foundation

#if canImport(CryptoKit)
  internal import CryptoKit
#else
  internal import Crypto
#endif

/// Encryption over any token cache: AES-256-GCM, a fresh nonce for each write.
///
/// The wrapped cache keeps records that hold nothing but ciphertext. Each is bound to its key, so records cannot be
/// swapped. A record that is not encrypted is an error: plaintext is neither written nor accepted. An old copy of a sealed
/// record is not detected.
///
/// The keys of records stay readable in the wrapped cache: it shows who has signed in where, but no tokens and no claims.
///
/// Updates and refresh locks are those of the wrapped cache where it is a ``SharedTokenCache``; otherwise they hold among
/// all users of the wrapped cache in this process, whatever number of wrappers they use.
public struct EncryptedTokenCache: SharedTokenCache, StoreIdentifying {
  private var wrapped: any SharedTokenCache
  private let encryptionKey: EncryptionKey
  private let original: any TokenCache
  /// The state of the wrapped cache.
  package let sharedState: CacheState

  /// Wraps a cache.
  ///
  /// - Parameters:
  ///   - wrapped: The cache that keeps the ciphertext. It has to store records as they encode themselves, as the
  ///     conformance suite checks.
  ///   - key: The encryption key. Where it is lost or replaced, what it sealed cannot be read, and users sign in again.
  public init(wrapping wrapped: any TokenCache, key: EncryptionKey) {
    original = wrapped
    self.wrapped = wrapped.shared(on: ContinuousClock())
    encryptionKey = key
    sharedState = CacheRegistry.state(of: wrapped)
  }

  /// The same cache, whose waits for the process's own locks are measured on a clock.
  func waiting(on clock: any Clock<Duration>) -> EncryptedTokenCache {
    var copy = self
    copy.wrapped = original.shared(on: clock)
    return copy
  }

  /// Reads and decrypts the record of a key.
  ///
  /// - Throws: ``TokenCacheError``: ``TokenCacheError/Code/decryptionFailed`` when the record was tampered with, belongs
  ///   to another key, is not encrypted or was sealed with another encryption key; the wrapped cache's error.
  public func record(for key: TokenCacheKey) async throws -> TokenRecord? {
    guard let carrier = try await wrapped.record(for: key) else { return nil }
    return try SealedRecord(in: carrier).open(for: key, with: encryptionKey)
  }

  /// Encrypts a record and stores it, replacing the one that was there.
  ///
  /// - Throws: ``TokenCacheError`` with code ``TokenCacheError/Code/encryptionUnavailable`` when the record holds a value
  ///   that has no stored form; the wrapped cache's error.
  public func store(_ record: TokenRecord, for key: TokenCacheKey) async throws {
    let sealed = try SealedRecord(record, for: key, with: encryptionKey)
    try await wrapped.store(sealed.carrier, for: key)
  }

  /// Removes the record of a key, whatever it was sealed with.
  public func removeRecord(for key: TokenCacheKey) async throws {
    try await wrapped.removeRecord(for: key)
  }

  /// Returns the keys of all records.
  public func keys() async throws -> [TokenCacheKey] {
    try await wrapped.keys()
  }

  /// Changes the record of a key in one atomic step of the wrapped cache.
  ///
  /// - Throws: As ``record(for:)`` and ``store(_:for:)``; nothing is changed then.
  @discardableResult
  public func update(
    _ key: TokenCacheKey, _ change: @escaping @Sendable (TokenRecord?) -> TokenRecord?
  ) async throws -> TokenRecord? {
    let outcome = Locked<Result<TokenRecord?, any Error>>(.success(nil))
    try await wrapped.update(key) { [encryptionKey] carrier in
      do {
        let old = try carrier.map { try SealedRecord(in: $0).open(for: key, with: encryptionKey) }
        let new = change(old)
        // An unchanged record stays sealed as it is, so that nothing is written.
        let sealed = new == old ? carrier : try new.map { try SealedRecord($0, for: key, with: encryptionKey).carrier }
        outcome.withLock { $0 = .success(new) }
        return sealed
      } catch {
        outcome.withLock { $0 = .failure(error) }
        return carrier
      }
    }
    return try outcome.withLock { $0 }.get()
  }

  /// Runs a body under the wrapped cache's refresh lock of a key.
  public func withRefreshLock<Result: Sendable>(
    for key: TokenCacheKey, _ body: @Sendable () async throws -> Result
  ) async throws -> Result {
    try await wrapped.withRefreshLock(for: key, body)
  }

  /// Returns the wrapped cache's change stamp.
  public func changeStamp() async throws -> Int? {
    try await wrapped.changeStamp()
  }
}

/// A record as ciphertext, inside a record that any store can keep: all its fields are empty except one.
///
/// The field's text is `2.<fingerprint of the encryption key>.<nonce, ciphertext and tag in base64url>`. The form, the
/// fingerprint and all four parts of the record's key are authenticated with it, so a sealed record fits no other key.
private struct SealedRecord {
  private static let form = "2"

  private let fingerprint: String
  private let box: Data

  /// Seals a record for one key of the cache.
  init(_ record: TokenRecord, for key: TokenCacheKey, with encryptionKey: EncryptionKey) throws(TokenCacheError) {
    fingerprint = encryptionKey.fingerprint
    do {
      let sealed = try AES.GCM.seal(
        try JSONEncoder().encode(record), using: SymmetricKey(data: encryptionKey.bytes),
        authenticating: Self.authenticatedData(key, fingerprint))
      if let combined = sealed.combined {
        box = combined
        return
      }
    } catch {
      // The encoder's own error may quote the record, so it is not passed on.
    }
    throw TokenCacheError(.encryptionUnavailable, "The record cannot be encrypted; nothing was written.")
  }

  /// Reads the sealed form from a stored record.
  init(in carrier: TokenRecord) throws(TokenCacheError) {
    let parts = carrier.sealed?.split(separator: ".", omittingEmptySubsequences: false)
    guard let parts, parts.count == 3, parts[0] == Self.form, let box = Base64URL.decode(parts[2]) else {
      throw TokenCacheError(
        .decryptionFailed, "A record in the encrypted cache is not encrypted, or its header is damaged.",
        recoverySuggestion: "Remove it and sign in again. If the app wrote none, find out which program did.")
    }
    fingerprint = String(parts[1])
    self.box = box
  }

  /// The record that carries the ciphertext; it reveals nothing about its content, not even a date.
  var carrier: TokenRecord {
    var record = TokenRecord(signedInAt: Date(timeIntervalSince1970: 0))
    record.sealed = [Self.form, fingerprint, Base64URL.encode(box)].joined(separator: ".")
    return record
  }

  /// Opens the record for the key that it was found under.
  func open(for key: TokenCacheKey, with encryptionKey: EncryptionKey) throws(TokenCacheError) -> TokenRecord {
    guard fingerprint == encryptionKey.fingerprint else {
      // What a damaged file has in the place of the other key's fingerprint may be anything; only a fingerprint is shown.
      let isFingerprint = Base64URL.decode(fingerprint)?.count == Base64URL.decode(encryptionKey.fingerprint)?.count
      let written = isFingerprint ? "the key \(fingerprint)" : "another key"
      throw TokenCacheError(
        .decryptionFailed,
        "A record was sealed with \(written); the key in use is \(encryptionKey.fingerprint).",
        recoverySuggestion: "Restore the old key, or remove the record and sign in again.")
    }
    let plain: Data
    do {
      plain = try AES.GCM.open(
        AES.GCM.SealedBox(combined: box), using: SymmetricKey(data: encryptionKey.bytes),
        authenticating: Self.authenticatedData(key, fingerprint))
    } catch {
      throw TokenCacheError(
        .decryptionFailed, "A record does not decrypt: it was tampered with or belongs to another user.",
        recoverySuggestion: "Find out which program writes to the store. Removing the record makes its user sign in "
          + "again.", underlying: error)
    }
    do {
      return try JSONDecoder().decode(TokenRecord.self, from: plain)
    } catch let error as TokenCacheError {
      throw error
    } catch {
      throw TokenCacheError(.damaged, "A record decrypts, but its content is not a token record.")
    }
  }

  private static func authenticatedData(_ key: TokenCacheKey, _ fingerprint: String) -> Data {
    Data("b2c-token-record|\(form)|\(FormEncoding.escape(fingerprint))|\(key.canonicalText)".utf8)
  }
}
