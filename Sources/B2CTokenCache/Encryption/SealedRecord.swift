internal import Foundation

#if canImport(CryptoKit)
  internal import CryptoKit
#else
  internal import Crypto
#endif

/// A record as ciphertext, inside a record that any store can keep: all its members are empty but one.
///
/// The member's text is `1.<key id>.<nonce, ciphertext and tag>`, the last two parts in base64url. The header and the
/// record's key are authenticated with it, so a sealed record fits no other key and cannot claim another header.
struct SealedRecord {
  static let memberName = "sealed"
  private static let form = "1"

  /// The name of the key that sealed it.
  let keyID: String
  private let box: Data

  /// Seals a record for one key of the cache.
  init(_ record: TokenRecord, for key: TokenCacheKey, with encryptionKey: EncryptionKey) throws(TokenCacheError) {
    keyID = encryptionKey.id
    do {
      let plain = try JSONEncoder().encode(record)
      let sealed = try AES.GCM.seal(
        plain, using: SymmetricKey(data: encryptionKey.bytes),
        authenticating: Self.authenticatedData(key, keyID: encryptionKey.id))
      guard let combined = sealed.combined else {
        throw TokenCacheError(.encryptionUnavailable, "The sealed record has an unexpected form.")
      }
      box = combined
    } catch let error as TokenCacheError {
      throw error
    } catch {
      // An encoder's error may quote the record.
      throw TokenCacheError(.encryptionUnavailable, "The record cannot be encrypted; nothing was written.")
    }
  }

  /// Takes the sealed form out of a stored record; `nil` when it holds none.
  init?(in carrier: TokenRecord) {
    guard let text = carrier.unknownMembers[Self.memberName]?.string else { return nil }
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3, parts[0] == Self.form, let id = Base64URL.decode(parts[1]),
      let name = String(bytes: id, encoding: .utf8), let box = Base64URL.decode(parts[2])
    else { return nil }
    keyID = name
    self.box = box
  }

  /// The record that carries the ciphertext; it says nothing about its content, not even a date.
  var carrier: TokenRecord {
    var record = TokenRecord(signedInAt: Date(timeIntervalSince1970: 0))
    let parts = [Self.form, Base64URL.encode(Data(keyID.utf8)), Base64URL.encode(box)]
    record.unknownMembers = [Self.memberName: .string(parts.joined(separator: "."))]
    return record
  }

  /// Opens the record for the key that it stands under.
  func open(for key: TokenCacheKey, with encryptionKey: EncryptionKey) throws(TokenCacheError) -> TokenRecord {
    let plain: Data
    do {
      plain = try AES.GCM.open(
        AES.GCM.SealedBox(combined: box), using: SymmetricKey(data: encryptionKey.bytes),
        authenticating: Self.authenticatedData(key, keyID: keyID))
    } catch {
      throw TokenCacheError(
        .decryptionFailed,
        "A record does not decrypt with the key \(keyID): it was tampered with or belongs to another account.",
        recoverySuggestion: "Find out who writes to the store. Removing the record makes its account sign in again.",
        underlying: error)
    }
    do {
      return try JSONDecoder().decode(TokenRecord.self, from: plain)
    } catch let error as TokenCacheError {
      throw error
    } catch {
      throw TokenCacheError(.damaged, "A record decrypts, but what is inside is no token record.")
    }
  }

  private static func authenticatedData(_ key: TokenCacheKey, keyID: String) -> Data {
    Data("b2c-token-record|\(form)|\(FormEncoding.escape(keyID))|\(key.canonicalText)".utf8)
  }
}
