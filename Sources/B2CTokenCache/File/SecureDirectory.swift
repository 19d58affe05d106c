internal import B2CCore

/// A directory that belongs to this user, and that no other user can write to.
struct SecureDirectory: Sendable {
  let path: String
  let files: any FileSystem

  /// Creates the directory and those that lead to it, each 0700, and checks it.
  func prepare() throws {
    do throws(SystemFailure) {
      try create()
    } catch {
      throw error.cacheError("The directory of \(path) cannot be used")
    }
    try check()
  }

  private func create() throws(SystemFailure) {
    var directory = ""
    for part in path.split(separator: "/") {
      let parent = directory.isEmpty ? "/" : directory
      directory += "/" + part
      guard try files.status(of: directory) == nil else { continue }
      if try files.makeDirectory(directory) { try AtomicFile.synchronize(directory: parent, files) }
    }
  }

  private func check() throws {
    let found: FileStatus?
    do {
      found = try files.status(of: path)
    } catch {
      throw error.cacheError("The directory of \(path) cannot be used")
    }
    guard let status = found else { return }
    guard status.kind != .symbolicLink else {
      throw ConnectorError(
        own: .tokenCache, "\(path) is a symbolic link, which could be changed to point elsewhere.",
        recoverySuggestion: "Use the path of a real directory that only this user can write to.")
    }
    guard status.kind == .directory else {
      throw ConnectorError(
        own: .tokenCache, "\(path) is not a directory.",
        recoverySuggestion: "Use the path of a directory, or of one to be created; or move what is there away.")
    }
    guard status.owner == files.userID else {
      throw ConnectorError(
        own: .tokenCache, "\(path) belongs to user \(status.owner), not to the user of this process.",
        recoverySuggestion: "Run as its owner, use another directory, or: chown \(files.userID) \(path)")
    }
    guard status.mode & 0o022 == 0 else {
      throw ConnectorError(
        own: .tokenCache,
        "\(path) can be written by other users (mode \(status.octalMode)), who could swap the records.",
        recoverySuggestion: "Remove their permission: chmod 700 \(path)")
    }
  }
}
