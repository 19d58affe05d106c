package import B2CCore
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
    self.bytes = bytes
    let hash = SHA256.hash(data: Data("b2c-encryption-key|".utf8) + bytes)
    fingerprint = Base64URL.encode(Data(hash.prefix(9)))
  }

  /// The fingerprint alone.
  public var description: String { "EncryptionKey(\(fingerprint))" }
}
