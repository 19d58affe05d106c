internal import Foundation

/// The places inside a file cache's folder, and the care that is taken of them.
///
/// ```
/// <folder>/                 0700
///   locks/                  lock files; made when first needed, never removed
///   temporary/              files being written, one name for each write lock
///   <group>/                one for each authority, policy and client
///     <account>.json        one record
///     <account>.json.set-aside-1   a file that could not be read as a record
/// ```
struct CacheFolder: Sendable {
  let path: String

  var locks: String { path + "/locks" }
  var temporary: String { path + "/temporary" }

  /// Makes the folder and its parts, or checks those that are there.
  func prepare() throws(TokenCacheError) {
    do {
      try SystemCalls.makeParents(of: path)
      var isNew = try SystemCalls.makeFolder(path)
      try check(path)
      for part in [locks, temporary] {
        isNew = try SystemCalls.makeFolder(part) || isNew
        try check(part)
      }
      if isNew { try FileReplacement.synchronizeFolder(path) }
    } catch let failure as SystemFailure {
      throw .unwritable("The token cache's folder cannot be made", failure)
    } catch {
      throw error as? TokenCacheError ?? TokenCacheError(.unwritable, "The folder cannot be made.", underlying: error)
    }
  }

  /// Makes a group's folder, or checks the one that is there.
  func prepare(_ group: RecordGroup) throws {
    if try SystemCalls.makeFolder(group.path) { try FileReplacement.synchronizeFolder(path) }
    try check(group.path)
  }

  /// Removes what killed writers left behind; a name whose writer still lives is let be.
  func removeStrayFiles() throws(SystemFailure) {
    for name in try SystemCalls.names(in: temporary) {
      guard LockNames.isWrite(name), let lock = try FileLock.takeIfFree(lockPath(name)) else { continue }
      defer { lock.release() }
      try SystemCalls.removeFile(temporary + "/" + name)
    }
  }

  /// The path of a lock file.
  func lockPath(_ name: String) -> String { locks + "/" + name }

  /// Refuses a folder that another user could put files into.
  private func check(_ folder: String) throws {
    guard let status = try SystemCalls.status(of: folder) else { return }
    guard status.kind != .symbolicLink else {
      throw TokenCacheError(
        .insecurePermissions, "\(folder) is a symbolic link, which could be changed to point elsewhere.",
        recoverySuggestion: "Use the path of a real directory that only this user can write to.")
    }
    guard status.kind == .folder else {
      throw TokenCacheError(
        .unwritable, "\(folder) is not a directory.",
        recoverySuggestion: "Use the path of a directory, or of one to be created; or move what is there away.")
    }
    guard status.owner == SystemCalls.userID else {
      throw TokenCacheError(
        .insecurePermissions, "\(folder) belongs to the user \(status.owner), not to the one that runs this process.",
        recoverySuggestion: "Run as its owner, choose another folder, or: chown \(SystemCalls.userID) \(folder)")
    }
    guard status.mode & 0o022 == 0 else {
      throw TokenCacheError(
        .insecurePermissions,
        "\(folder) can be written by other users (mode \(String(status.mode, radix: 8))), who could swap the records.",
        recoverySuggestion: "Take their permission away: chmod 700 \(folder)")
    }
  }
}
