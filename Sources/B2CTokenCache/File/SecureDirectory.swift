/// A directory that only this user can write to, below directories in which no other user can replace it.
///
/// The rules are those of sshd's `StrictModes`: every directory from the root down belongs to root or to this user, and is
/// not writable by others, except where the sticky bit keeps them from renaming what is not theirs, as in `/tmp`. Otherwise
/// another user could move the directory away and put an old copy back: a sign-out would be undone. As Debian's sshd does,
/// a directory of this user may be writable by the user's private group, if no other user is a member. Access control lists
/// are not looked at. Where apps live in containers, only what is inside the container is looked at.
struct SecureDirectory: Sendable {
  private static let linkLimit = 32
  private static let root: UInt32 = 0

  let path: String
  let files: any FileSystem
  var containers = AppContainers.ofSystem

  /// Creates the directory and those that lead to it, each 0700, and checks them all.
  func prepare() throws(TokenCacheError) {
    try reporting {
      try checkParents()
      let (top, parts) = split(path)
      if try create(parts, below: top) { try checkParents() }
      try checkItself()
    }
  }

  /// Creates the directories that lead to the path and are missing, and checks them.
  func prepareParents() throws(TokenCacheError) {
    try reporting {
      try checkParents()
      let (top, parts) = split(path)
      if try create(parts.dropLast(), below: top) { try checkParents() }
    }
  }

  /// Splits a path into the directory above which nothing is looked at, empty for the root, and the parts below it.
  private func split(_ path: String) -> (top: String, parts: ArraySlice<Substring>) {
    let parts = path.split(separator: "/")
    let depth = containers?.depth(of: parts) ?? 0
    return (parts.prefix(depth).map { "/" + $0 }.joined(), parts.dropFirst(depth))
  }

  /// Creates what is missing; returns whether anything was.
  private func create(_ parts: ArraySlice<Substring>, below top: String) throws(SystemFailure) -> Bool {
    var isNew = false
    var directory = top
    for part in parts {
      let parent = directory.isEmpty ? "/" : directory
      directory += "/" + part
      guard try files.status(of: directory) == nil else { continue }
      isNew = true
      if try files.makeDirectory(directory) { try AtomicFile.synchronize(directory: parent, files) }
    }
    return isNew
  }

  /// Checks every existing directory from the top down to the parent, through symbolic links as the system does.
  func checkParents() throws {
    var (directory, parts) = split(path)
    var rest = Array(parts.dropLast().reversed())
    var links = 0
    if directory.isEmpty, let status = try files.status(of: "/") { try check(status, "/") }
    while let part = rest.popLast() {
      if part == "." { continue }
      if part == ".." {
        directory = directory.isEmpty ? "" : AtomicFile.parent(of: directory)
        if directory == "/" { directory = "" }
        continue
      }
      let next = directory + "/" + part
      guard let status = try files.status(of: next) else { return }
      if status.kind == .symbolicLink {
        links += 1
        guard links <= Self.linkLimit else {
          throw TokenCacheError(.unwritable, "\(path) has too many symbolic links.")
        }
        try checkOwner(status, next)
        let target = try files.linkTarget(of: next)
        if target.hasPrefix("/") {
          (directory, parts) = split(([target[...]] + rest.reversed()).joined(separator: "/"))
          rest = parts.reversed()
        } else {
          rest += target.split(separator: "/").reversed()
        }
      } else {
        try check(status, next)
        directory = next
      }
    }
  }

  private func check(_ status: FileStatus, _ directory: String) throws(TokenCacheError) {
    guard status.kind == .directory else { throw notADirectory(directory) }
    try checkOwner(status, directory)
    let isSticky = status.mode & 0o1000 != 0
    let isGroupWritable = status.mode & 0o020 != 0 && !belongsToPrivateGroup(status)
    guard isSticky || status.mode & 0o002 == 0 && !isGroupWritable else {
      throw TokenCacheError(
        .insecurePermissions,
        "\(directory) can be written by other users (mode \(status.octalMode)), who could replace \(path).",
        recoverySuggestion: "Remove their permission: chmod go-w \(directory). Or use another directory.")
    }
  }

  /// Many Linux systems create for each user a group of the same number, without other members, that may write.
  private func belongsToPrivateGroup(_ status: FileStatus) -> Bool {
    status.owner == files.userID && status.group == status.owner && status.owner != Self.root
      && !files.hasOtherMembers(group: status.group)
  }

  private func checkOwner(_ status: FileStatus, _ directory: String) throws(TokenCacheError) {
    guard status.owner == Self.root || status.owner == files.userID else {
      throw TokenCacheError(
        .insecurePermissions,
        "\(directory) belongs to user \(status.owner), neither root nor the user of this process, "
          + "who could replace \(path).",
        recoverySuggestion: "Use a directory inside your home directory, or: chown \(files.userID) \(directory)")
    }
  }

  /// For the directory itself the rule is stricter: no other user may create files in it.
  private func checkItself() throws {
    guard let status = try files.status(of: path) else { return }
    guard status.kind != .symbolicLink else {
      throw TokenCacheError(
        .insecurePermissions, "\(path) is a symbolic link, which could be changed to point elsewhere.",
        recoverySuggestion: "Use the path of a real directory that only this user can write to.")
    }
    guard status.kind == .directory else { throw notADirectory(path) }
    guard status.owner == files.userID else {
      throw TokenCacheError(
        .insecurePermissions, "\(path) belongs to user \(status.owner), not to the user of this process.",
        recoverySuggestion: "Run as its owner, use another directory, or: chown \(files.userID) \(path)")
    }
    guard status.mode & 0o022 == 0 else {
      throw TokenCacheError(
        .insecurePermissions,
        "\(path) can be written by other users (mode \(status.octalMode)), who could swap the records.",
        recoverySuggestion: "Remove their permission: chmod 700 \(path)")
    }
  }

  private func reporting(_ body: () throws -> Void) throws(TokenCacheError) {
    do {
      try body()
    } catch let error as TokenCacheError {
      throw error
    } catch let failure as SystemFailure {
      throw TokenCacheError(.unwritable, "The directory of \(path) cannot be used", failure)
    } catch {
      throw TokenCacheError(.unwritable, "The directory of \(path) cannot be used.", underlying: error)
    }
  }

  private func notADirectory(_ directory: String) -> TokenCacheError {
    TokenCacheError(
      .unwritable, "\(directory) is not a directory.",
      recoverySuggestion: "Use the path of a directory, or of one to be created; or move what is there away.")
  }
}
