internal import B2CCore

/// A directory that belongs to this user and that no other user can write to.
struct SecureDirectory: Sendable {
  let path: String
  let files: any FileSystem

  /// Creates the directory and its missing parents with mode 0700, and checks the directory.
  func prepare() throws {
    let found: FileStatus?
    do throws(SystemFailure) {
      try create()
      found = try files.status(of: path)
    } catch {
      throw error.cacheError("The directory of \(path) cannot be used")
    }
    guard let status = found else { return }
    let fault: String
    let advice: String
    if status.kind == .symbolicLink {
      fault = "is a symbolic link, which could be changed to point elsewhere"
      advice = "Use the path of a real directory that only this user can write to."
    } else if status.kind != .directory {
      fault = "is not a directory"
      advice = "Use the path of a directory, which need not exist yet, or move the file away."
    } else if status.owner != files.userID {
      fault = "belongs to user \(status.owner), not to the user of this process"
      advice = "Run as its owner, use another directory, or: chown \(files.userID) \(path)"
    } else if status.mode & 0o022 != 0 {
      fault = "can be written by other users (mode \(status.octalMode)), who could swap the records"
      advice = "Remove their permission: chmod 700 \(path)"
    } else {
      return
    }
    throw ConnectorError(own: .tokenCache, "\(path) \(fault).", recoverySuggestion: advice)
  }

  private func create() throws(SystemFailure) {
    // Split by bytes, because as a `Character`, a slash with a combining mark after it is not equal to "/".
    let parts = path.utf8.split(separator: UInt8(ascii: "/")).map { String(decoding: $0, as: UTF8.self) }
    func directory(_ count: Int) -> String { "/" + parts.prefix(count).joined(separator: "/") }
    // Start at the end of the path, because an app may not be allowed to see the directories above its container.
    var count = parts.count
    while count > 0, try files.status(of: directory(count)) == nil { count -= 1 }
    while count < parts.count {
      let parent = directory(count)
      count += 1
      if try files.makeDirectory(directory(count)) { try AtomicFile.synchronize(directory: parent, files) }
    }
  }
}
