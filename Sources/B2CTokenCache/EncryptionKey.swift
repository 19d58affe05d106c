package import B2CCore
internal import Dispatch
public import Foundation

#if canImport(CryptoKit)
  internal import CryptoKit
#else
  internal import Crypto
#endif

/// A key for AES-256-GCM.
///
/// Printing or dumping it shows a fingerprint and never the bytes.
public struct EncryptionKey: Sendable, Hashable, Redacted {
  static let byteCount = 32

  let bytes: Data
  /// Identifies the key in sealed records and messages; reveals nothing about its bytes.
  let fingerprint: String

  /// Creates a key from existing bytes.
  ///
  /// - Parameter bytes: 32 random bytes.
  /// - Throws: ``TokenCacheError`` with code ``TokenCacheError/Code/encryptionUnavailable`` when the bytes are not 32.
  public init(bytes: Data) throws(TokenCacheError) {
    guard bytes.count == Self.byteCount else {
      throw TokenCacheError(
        .encryptionUnavailable, "An encryption key has \(Self.byteCount) bytes; this one has \(bytes.count).",
        recoverySuggestion: "Use \(Self.byteCount) random bytes; a password is not a key.")
    }
    self.init(checked: bytes)
  }

  private init(checked bytes: Data) {
    self.bytes = bytes
    let hash = SHA256.hash(data: Data("b2c-encryption-key|".utf8) + bytes)
    fingerprint = Base64URL.encode(Data(hash.prefix(9)))
  }

  /// Creates a fresh key from the system's random source.
  ///
  /// - Returns: The key.
  public static func random() -> EncryptionKey {
    EncryptionKey(checked: SymmetricKey(size: .bits256).withUnsafeBytes { Data($0) })
  }

  /// The fingerprint alone.
  public var description: String { "EncryptionKey(\(fingerprint))" }
}

/// The source of an encrypted cache's key.
///
/// There is one key. Where it is lost or replaced, what it sealed cannot be read any more, and users sign in again.
public protocol EncryptionKeySource: Sendable {
  /// Returns the key that seals and opens records.
  ///
  /// It is called for each read and write, so a source that takes long should remember the key.
  ///
  /// - Returns: The key.
  /// - Throws: ``TokenCacheError`` with code ``TokenCacheError/Code/encryptionUnavailable``, or the source's own error,
  ///   when there is none; nothing is written then.
  func encryptionKey() async throws -> EncryptionKey
}

/// The stored form of a key, in a file or a keychain item.
struct StoredEncryptionKey: Codable {
  private enum CodingKeys: String, CodingKey {
    case form = "b2cEncryptionKey"
    case key
  }

  private static let currentForm = 1

  private let form: Int
  private let key: String

  /// Returns a key in its stored form, as secret as the key.
  static func data(of key: EncryptionKey) -> Data {
    // Base64url has no character that JSON would escape.
    Data(#"{"\#(CodingKeys.form.rawValue)":\#(currentForm),"key":"\#(Base64URL.encode(key.bytes))"}"#.utf8)
  }

  /// Reads a stored key; its place is named in errors.
  static func key(in data: Data, from place: String) throws(TokenCacheError) -> EncryptionKey {
    // The decoder's own error may quote the key.
    guard let stored = try? JSONDecoder().decode(StoredEncryptionKey.self, from: data) else { throw damaged(place) }
    guard stored.form <= currentForm else { throw .newerVersion(stored.form, supported: currentForm) }
    guard let bytes = Base64URL.decode(stored.key), bytes.count == EncryptionKey.byteCount else { throw damaged(place) }
    return try EncryptionKey(bytes: bytes)
  }

  private static func damaged(_ place: String) -> TokenCacheError {
    TokenCacheError(
      .encryptionUnavailable, "\(place) holds no encryption key in a form that can be read.",
      recoverySuggestion: "Restore it from a copy, or remove it: then a new key is made and users sign in again.")
  }
}
