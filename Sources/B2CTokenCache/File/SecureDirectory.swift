internal import B2CCore

/// A directory that belongs to this user, and that no other user can write to.
struct SecureDirectory: Sendable {
  let path: String
  let files: any FileSystem

  /// Creates the directory and those that lead to it, each 0700, and checks it.
  func prepare() throws {
    let status: FileStatus?
    do throws(SystemFailure) {
      try create()
      status = try files.status(of: path)
    } catch {
      throw error.cacheError("The directory of \(path) cannot be used")
    }
    guard let (fault, advice) = status.flatMap(fault) else { return }
    throw ConnectorError(own: .tokenCache, "\(path) \(fault).", recoverySuggestion: advice)
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

  /// Why the directory cannot be used, and what to do.
  private func fault(of status: FileStatus) -> (fault: String, advice: String)? {
    switch status.kind {
    case .symbolicLink:
      (
        "is a symbolic link, which could be changed to point elsewhere",
        "Use the path of a real directory that only this user can write to."
      )
    case .directory where status.owner != files.userID:
      (
        "belongs to user \(status.owner), not to the user of this process",
        "Run as its owner, use another directory, or: chown \(files.userID) \(path)"
      )
    case .directory where status.mode & 0o022 != 0:
      (
        "can be written by other users (mode \(status.octalMode)), who could swap the records",
        "Remove their permission: chmod 700 \(path)"
      )
    case .directory: nil
    default:
      (
        "is not a directory",
        "Use the path of a directory, or of one to be created; or move what is there away."
      )
    }
  }
}
