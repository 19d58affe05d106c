internal import B2CCore
package import Foundation

#if canImport(CryptoKit)
  internal import CryptoKit
#else
  internal import Crypto
#endif

/// The content of the file or keychain item of a record: a mark, the record's key, and the record, either plain or
/// sealed.
///
/// The content includes the key so that a file that was swapped with another user's is noticed.
package struct RecordForm: Sendable {
  private static let currentForm = 1
  private static let keyBytes = 32
  /// The largest size of an item in bytes, which no real record comes near.
  static let sizeLimit = 32 << 20

  private struct Content: Codable {
    let b2cTokenRecord: Int
    let key: TokenCacheKey
    let position: Int64
    var record: TokenRecord?
    /// The stamp of a sealed record, which is authenticated together with it.
    var stamp: UUID?
    /// The nonce, ciphertext and tag in base64url.
    var sealed: String?

    var head: Head { Head(b2cTokenRecord: b2cTokenRecord, key: key, position: position) }
  }

  /// The fields whose form is the same in all versions, so that any version can list and order any record.
  private struct Head: Decodable {
    let b2cTokenRecord: Int
    let key: TokenCacheKey
    let position: Int64?
  }

  private struct Form: Decodable { let b2cTokenRecord: Int }

  private let sealingKey: SymmetricKey?

  /// Creates the form that stores records in plaintext.
  package init() { sealingKey = nil }

  /// Creates the form that seals records.
  ///
  /// - Throws: ``ConnectorError`` with code `tokenCache` if the key is not 32 bytes long.
  package init(sealedWith key: Data) throws {
    guard key.count == Self.keyBytes else {
      throw ConnectorError(
        own: .tokenCache, "The key of the token cache must have \(Self.keyBytes) bytes, but this one has \(key.count).",
        recoverySuggestion: "Use \(Self.keyBytes) random bytes, not a password.")
    }
    sealingKey = SymmetricKey(data: key)
  }

  /// Returns the bytes of the item of a record.
  ///
  /// - Throws: ``ConnectorError`` with code `tokenCache` if a value in the record cannot be encoded.
  package func bytes(of record: TokenRecord, for key: TokenCacheKey) throws -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.withoutEscapingSlashes]
    var content = Content(b2cTokenRecord: Self.currentForm, key: key, position: record.position)
    do {
      if let sealingKey {
        content.stamp = record.stamp
        let box = try AES.GCM.seal(
          encoder.encode(record), using: sealingKey,
          authenticating: Self.authenticated(key, record.stamp, record.position))
        content.sealed = box.combined.map(Base64URL.encode)
      } else {
        content.record = record
      }
      return Array(try encoder.encode(content))
    } catch {
      // The encoder's own error may quote the value, which may be a secret, so it is not passed on.
      throw ConnectorError(
        own: .tokenCache,
        "The token record contains a value that cannot be stored, for example a date or a number that is not finite.")
    }
  }

  /// Returns the record in the item of a key.
  ///
  /// - Throws: ``DamagedRecord`` if the bytes are not a record of this key; ``ConnectorError`` with code `tokenCache`
  ///   if a newer version wrote the item, or if it is sealed with another key, or sealed although this form is plain.
  package func record(in bytes: [UInt8], for key: TokenCacheKey) throws -> TokenRecord {
    // Decoding the whole content is fastest, and nearly always works. Only if it fails, the head is decoded to find out
    // why.
    let content = Result { try JSONDecoder().decode(Content.self, from: Data(bytes)) }
    let head = try (try? content.get().head) ?? Self.head(of: bytes)
    guard head.key == key else { throw DamagedRecord(reason: "it contains the record of another key") }
    do {
      guard head.b2cTokenRecord <= Self.currentForm else {
        throw NewerForm.error(head.b2cTokenRecord, supported: Self.currentForm, position: nil)
      }
      return try record(in: Self.replacingDecoderErrors(by: Self.foreign) { try content.get() })
    } catch var error as ConnectorError {
      error.recordPosition = head.position
      throw error
    } catch var damage as DamagedRecord {
      damage.position = head.position
      throw damage
    }
  }

  private func record(in content: Content) throws -> TokenRecord {
    guard let sealingKey else {
      if let record = content.record { return record }
      guard content.sealed == nil else { throw Self.refused("A token record is sealed, and this cache has no key.") }
      throw Self.foreign
    }
    guard let sealed = content.sealed.flatMap({ Base64URL.decode($0) }), let stamp = content.stamp else {
      throw Self.refused("A token record in the sealed cache is not sealed.")
    }
    let changed = Self.refused("A token record cannot be opened: it was sealed with another key, or was changed.")
    return try Self.replacingDecoderErrors(by: changed) {
      let plain = try AES.GCM.open(
        AES.GCM.SealedBox(combined: sealed), using: sealingKey,
        authenticating: Self.authenticated(content.key, stamp, content.position))
      return try JSONDecoder().decode(TokenRecord.self, from: plain)
    }
  }

  /// Throws the given error instead of a decoder's, whose message may quote secrets, but keeps that of a newer form.
  private static func replacingDecoderErrors<Value>(by fault: any Error, _ body: () throws -> Value) throws -> Value {
    do {
      return try body()
    } catch {
      throw error is ConnectorError ? error : fault
    }
  }

  /// Returns the key in an item, which is readable even if the record is sealed.
  ///
  /// - Throws: ``DamagedRecord`` if the bytes contain no key.
  package static func key(in bytes: [UInt8]) throws -> TokenCacheKey { try head(of: bytes).key }

  private static func head(of bytes: [UInt8]) throws -> Head {
    guard bytes.count <= sizeLimit else { throw DamagedRecord(reason: "it is too large") }
    let data = Data(bytes)
    if let head = try? JSONDecoder().decode(Head.self, from: data) { return head }
    let form = try? JSONDecoder().decode(Form.self, from: data).b2cTokenRecord
    guard let form, form > currentForm else { throw foreign }
    throw DamagedRecord(reason: "a newer version of the package wrote it", isNewer: true)
  }

  private static let foreign = DamagedRecord(reason: "its content is not a token record")

  private static func refused(_ message: String) -> ConnectorError {
    ConnectorError(
      own: .tokenCache, message,
      recoverySuggestion: "Open the cache with the key that sealed it, or sign in again, which replaces the record.",
      needsInteraction: true)
  }

  private static func authenticated(_ key: TokenCacheKey, _ stamp: UUID, _ position: Int64) -> Data {
    Data("b2c-token-record|\(currentForm)|\(stamp.uuidString)|\(position)|\(key.canonicalText)".utf8)
  }
}
