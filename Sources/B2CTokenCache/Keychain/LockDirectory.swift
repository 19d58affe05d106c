internal import B2CCore
internal import Foundation

/// The lock files of keychain records, in a directory that several processes reach: an app group's container.
///
/// The files are empty, except for the note of a suspended process's request; no part of a record is ever in one.
///
/// ```
/// <container>/B2CConnector.locks/   0700
///   <sha256 of the key>.lock        write lock
///   <sha256 of the key>.refresh     refresh lock
/// ```
struct LockDirectory: Sendable {
  static let name = "B2CConnector.locks"

  let container: URL
  let locks: DirectoryLocks
  private let store: RecordDirectory
  private let isOpen = Locked(false)

  init(
    in container: URL, lockTimeout: Duration, clock: any Clock<Duration>, now: @escaping @Sendable () -> Date,
    files: any FileSystem, containers: AppContainers?
  ) {
    self.container = container
    // What is no file URL is refused when it is opened.
    let path = (try? RecordDirectory.path(of: container)) ?? ""
    store = RecordDirectory(path: path + "/" + Self.name, files: files, containers: containers)
    locks = DirectoryLocks(store: store, lockTimeout: lockTimeout, clock: clock, now: now)
  }

  /// Checks the container and creates the directory, once; a refusal is looked at again by the next call.
  ///
  /// - Throws: ``TokenCacheError``: `unwritable` when locks there cannot be taken or would not keep every process out;
  ///   `insecurePermissions`.
  func open() async throws {
    guard !isOpen.withLock({ $0 }) else { return }
    try await locks.onDisk { try prepare() }
    isOpen.withLock { $0 = true }
  }

  private func prepare() throws(TokenCacheError) {
    let path = try RecordDirectory.path(of: container)
    let isLocal: Bool
    do {
      guard try store.files.status(of: path) != nil else {
        throw TokenCacheError(
          .unwritable, "There is no directory \(path) to lock in.",
          recoverySuggestion: "Give the program the app group whose container it is, or create the directory.")
      }
      isLocal = try store.files.isLocal(path)
    } catch let error as TokenCacheError {
      throw error
    } catch {
      throw TokenCacheError(
        .unwritable, "The directory \(path) cannot be looked at: \(error).", underlying: error)
    }
    guard isLocal, !Self.isInCloud(path) else {
      throw TokenCacheError(
        .unwritable, "\(path) is on a \(isLocal ? "cloud" : "network") volume, where locks do not hold reliably.",
        recoverySuggestion: "Use the container of the app group, or another directory on a disk of this machine.")
    }
    try store.prepare()
    DefaultDirectory.protect(URL(fileURLWithPath: store.path, isDirectory: true))
  }

  /// Whether a path is in iCloud Drive or in the files of another cloud.
  ///
  /// Such files lie on a local volume, and are replaced when another device has changed them.
  private static func isInCloud(_ path: String) -> Bool {
    let parts = path.split(separator: "/")
    return zip(parts, parts.dropFirst()).contains {
      $0 == "Library" && ["Mobile Documents", "CloudStorage"].contains($1)
    }
  }
}
