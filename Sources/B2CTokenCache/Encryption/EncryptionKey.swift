public import Foundation

#if canImport(CryptoKit)
  internal import CryptoKit
#else
  internal import Crypto
#endif

/// A key for AES-256-GCM, with a name that is written beside what it has sealed.
///
/// Printing or dumping it shows the name and never the bytes.
public struct EncryptionKey: Sendable, Hashable, CustomStringConvertible, CustomDebugStringConvertible,
  CustomReflectable
{
  /// The number of bytes of a key.
  public static let byteCount = 32

  /// The name: no secret, stable, another one for every key.
  public let id: String
  /// The key itself, as secret as all that it seals.
  public let bytes: Data

  /// Takes a key from elsewhere.
  ///
  /// - Parameters:
  ///   - id: The name that tells this key from the ones before and after it.
  ///   - bytes: 32 random bytes.
  /// - Throws: ``TokenCacheError`` with code ``TokenCacheError/Code/encryptionUnavailable`` when the bytes are not 32 or
  ///   the name is empty.
  public init(id: String, bytes: Data) throws(TokenCacheError) {
    guard bytes.count == Self.byteCount, !id.isEmpty else {
      throw TokenCacheError(
        .encryptionUnavailable,
        "An encryption key needs a name and \(Self.byteCount) bytes; this one has \(bytes.count) bytes.",
        recoverySuggestion: "Use \(Self.byteCount) random bytes; a password is no key.")
    }
    self.id = id
    self.bytes = bytes
  }

  private init(random id: String) {
    self.id = id
    bytes = SymmetricKey(size: .bits256).withUnsafeBytes { Data($0) }
  }

  /// Makes a fresh key with a fresh name from the system's random source.
  ///
  /// - Returns: The key.
  public static func random() -> EncryptionKey {
    let name = SymmetricKey(size: .bits128).withUnsafeBytes { Base64URL.encode($0.prefix(9)) }
    return EncryptionKey(random: name)
  }

  /// The name alone.
  public var description: String { "EncryptionKey(\(id))" }

  /// The name alone.
  public var debugDescription: String { description }

  /// A mirror with the name alone.
  public var customMirror: Mirror { Mirror(self, children: ["id": id]) }
}
