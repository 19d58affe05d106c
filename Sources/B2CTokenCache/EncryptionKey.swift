public import B2CCore
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

/// An encryption key in a file that only its owner can read, apart from the directory of the records.
///
/// It protects records that are copied without the key: a backup, a network share. It does not protect against another
/// program of the same user.
public struct KeyFile: EncryptionKeySource {
  private static let sizeLimit = 4096

  private let path: String
  private let createsFile: Bool
  private let files: any FileSystem
  private let disk = DispatchQueue(label: "B2CTokenCache.key", qos: .userInitiated)

  /// Creates a source for a key file, which is opened when the key is first needed.
  ///
  /// - Parameters:
  ///   - file: The key file, mode 0600. Keep it out of the directory of the records and out of their backup.
  ///   - createIfMissing: Whether to create the file with a fresh key, and the directories that lead to it.
  public init(_ file: URL, createIfMissing: Bool = true) {
    self.init(file, createIfMissing: createIfMissing, files: POSIXFileSystem())
  }

  package init(_ file: URL, createIfMissing: Bool = true, files: any FileSystem) {
    path = file.standardizedFileURL.path
    createsFile = createIfMissing
    self.files = files
  }

  /// Returns the key in the file.
  ///
  /// - Returns: The key.
  /// - Throws: ``TokenCacheError``: ``TokenCacheError/Code/encryptionUnavailable`` when the file is missing, damaged or
  ///   cannot be read; ``TokenCacheError/Code/insecurePermissions`` when another user can read the file, or replace it by
  ///   the owner or mode of a directory that leads to it.
  public func encryptionKey() async throws -> EncryptionKey {
    try await withCheckedThrowingContinuation { continuation in
      disk.async { continuation.resume(with: Result { try readOrCreate() }) }
    }
  }

  private func readOrCreate() throws -> EncryptionKey {
    do {
      if let key = try read() { return key }
      guard createsFile else {
        throw TokenCacheError(
          .encryptionUnavailable, "The key file \(path) does not exist; nothing was written.",
          recoverySuggestion: "Put the key file there, or use createIfMissing.")
      }
      try SecureDirectory(path: path, files: files).prepareParents()
      // When another process is first, its key counts: what a lost key sealed would be lost too.
      let temporary = path + ".new-" + UUID().uuidString
      _ = try AtomicFile(path: path, files: files)
        .create(with: Array(StoredEncryptionKey.data(of: .random())), through: temporary)
      if let key = try read() { return key }
      throw TokenCacheError(.encryptionUnavailable, "The key file \(path) was removed while it was being created.")
    } catch let failure as SystemFailure {
      throw TokenCacheError(.encryptionUnavailable, "The key file cannot be used, nothing was written", failure)
    }
  }

  /// Reads the file; `nil` when there is none.
  private func read() throws -> EncryptionKey? {
    try SecureDirectory(path: path, files: files).checkParents()
    switch try AtomicFile(path: path, files: files).read(limit: Self.sizeLimit) {
    case .missing: return nil
    case .notAFile(let reason):
      throw TokenCacheError(
        .insecurePermissions, "The key file \(path) is not used: \(reason).",
        recoverySuggestion: "Use the path of a regular file.")
    case .bytes(let bytes, let status):
      try check(status)
      return try StoredEncryptionKey.key(in: Data(bytes), from: path)
    }
  }

  private func check(_ status: FileStatus) throws(TokenCacheError) {
    guard status.owner == files.userID else {
      throw TokenCacheError(
        .insecurePermissions, "The key file \(path) belongs to user \(status.owner), not to the user of this process.",
        recoverySuggestion: "If it is yours: chown \(files.userID) \(path). If not, use another path.")
    }
    guard status.mode & 0o077 == 0 else {
      throw TokenCacheError(
        .insecurePermissions, "The key file \(path) can be read by other users (mode \(status.octalMode)).",
        recoverySuggestion: "chmod 600 \(path). Others may have read it: make a new key as well.")
    }
  }
}
