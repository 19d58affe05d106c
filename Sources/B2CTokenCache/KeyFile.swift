internal import B2CCore
internal import Dispatch
public import Foundation

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
