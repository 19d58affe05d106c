internal import B2CCore
public import Foundation

/// Encryption keys in a file that only its owner can read, apart from the folder of the records.
///
/// It guards against whoever gets the records without the key: a backup, a copied folder, a network share. It does not
/// guard against another program of the same user.
public final class KeyFileProvider: EncryptionKeyProvider {
  private struct State {
    var ring: KeyRing?
    var stamp: FileStamp?
  }

  private static let sizeLimit = 1 << 20
  private let path: String
  private let makesFile: Bool
  private let lockTimeout: Duration
  private let clock: any Clock<Duration>
  private let state = Locked(State())
  private let disk = DiskQueue()

  /// Makes a provider; the file is looked at when a key is first needed.
  ///
  /// - Parameters:
  ///   - file: The key file, mode 0600. Keep it out of the folder of the records and out of their backup.
  ///   - createIfMissing: Whether to make the file, with one fresh key, when it is not there, and the folders that lead
  ///     to it.
  ///   - lockTimeout: How long to wait for another process that changes the file.
  ///   - clock: The clock that waiting is measured on.
  public init(
    file: URL, createIfMissing: Bool = true, lockTimeout: Duration = .seconds(10),
    clock: any Clock<Duration> = ContinuousClock()
  ) {
    path = file.standardizedFileURL.path
    makesFile = createIfMissing
    self.lockTimeout = lockTimeout
    self.clock = clock
  }

  /// Gives the newest key of the file.
  ///
  /// - Returns: The key that new records are sealed with.
  /// - Throws: ``TokenCacheError``: ``TokenCacheError/Code/encryptionUnavailable`` when the file is missing, damaged or
  ///   cannot be read; ``TokenCacheError/Code/insecurePermissions`` when others can read it.
  public func currentKey() async throws -> EncryptionKey {
    if let key = try await ring()?.keys.first { return key }
    guard makesFile else {
      throw TokenCacheError(
        .encryptionUnavailable, "There is no key in \(path); nothing was written.",
        recoverySuggestion: "Put the key file there, or allow it to be made.")
    }
    return try await change { ring in
      if ring.keys.isEmpty { ring.keys = [.random()] }
    }
  }

  /// Gives the file's key of a name; the file is read again when it has changed.
  ///
  /// - Parameter id: The key's name.
  /// - Returns: The key, or `nil` when the file does not have it.
  /// - Throws: As ``currentKey()``.
  public func key(withID id: String) async throws -> EncryptionKey? {
    try await ring()?.keys.first { $0.id == id }
  }

  /// Adds a fresh key, which seals from now on; the older ones go on reading.
  ///
  /// - Returns: The new key.
  /// - Throws: As ``currentKey()``, and ``TokenCacheError/Code/lockTimedOut``.
  @discardableResult
  public func rotate() async throws -> EncryptionKey {
    try await change { $0.keys.insert(.random(), at: 0) }
  }

  /// Removes all keys but the newest; what is still sealed with them can never be read again.
  ///
  /// - Throws: As ``rotate()``.
  public func removeOldKeys() async throws {
    _ = try await change { $0.keys = Array($0.keys.prefix(1)) }
  }

  private func ring() async throws -> KeyRing? {
    do {
      let status = try SystemCalls.status(of: path)
      let known = state.withLock { $0 }
      if let status, status.stamp == known.stamp { return known.ring }
    } catch {
      throw Self.unavailable(error)
    }
    return try await disk.run("read") { [self] in try read() }
  }

  /// Reads the file; `nil` when there is none.
  private func read() throws -> KeyRing? {
    do {
      let descriptor = try SystemCalls.openFile(path, for: .reading)
      defer { SystemCalls.closeFile(descriptor) }
      let status = try SystemCalls.status(of: descriptor, at: path)
      try check(status)
      let bytes = try SystemCalls.readBytes(
        descriptor, at: path, expecting: Int(clamping: status.stamp.size), limit: Self.sizeLimit)
      let ring = try KeyRing(Data(bytes), from: path)
      state.withLock { $0 = State(ring: ring, stamp: status.stamp) }
      return ring
    } catch let failure as SystemFailure {
      if failure.isMissing { return nil }
      throw Self.unavailable(failure)
    }
  }

  private func check(_ status: FileStatus) throws(TokenCacheError) {
    guard status.kind == .regularFile, status.mode & 0o077 == 0, status.owner == SystemCalls.userID else {
      throw TokenCacheError(
        .insecurePermissions, "The key file \(path) can be read by others, or it is not this user's.",
        recoverySuggestion: "chmod 600 \(path). Others may have read it: make a new key, too.")
    }
  }

  /// Changes the file under its lock, from what is in it now.
  private func change(_ body: @escaping @Sendable (inout KeyRing) -> Void) async throws -> EncryptionKey {
    let deadline = Deadline(after: lockTimeout, on: clock)
    var backOff = BackOff()
    while true {
      let key = try await disk.run("write") { [self] in try changeIfFree(body) }
      if let key { return key }
      guard deadline.remaining() > .zero else { throw TokenCacheError.lockTimedOut }
      try await deadline.sleep(backOff.next())
    }
  }

  private func changeIfFree(_ body: (inout KeyRing) -> Void) throws -> EncryptionKey? {
    do {
      let folder = (path as NSString).deletingLastPathComponent
      try SystemCalls.makeParents(of: path)
      guard let lock = try FileLock.takeIfFree(path + ".lock") else { return nil }
      defer { lock.release() }
      var ring = try read() ?? KeyRing(keys: [])
      body(&ring)
      try FileReplacement.replace(path, with: Array(try ring.bytes()), through: path + ".new")
      try FileReplacement.synchronizeFolder(folder)
      guard let key = try read()?.keys.first else {
        throw TokenCacheError(.encryptionUnavailable, "There is no key in \(path).")
      }
      return key
    } catch let failure as SystemFailure {
      throw Self.unavailable(failure)
    }
  }

  private static func unavailable(_ failure: SystemFailure) -> TokenCacheError {
    TokenCacheError(
      .encryptionUnavailable, "The key file cannot be used: \(failure). Nothing was written.", underlying: failure)
  }
}
