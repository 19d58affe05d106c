#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#elseif canImport(Android)
  internal import Android
#endif

/// The operating system's file calls as Swift functions: interrupted calls are repeated, failures are thrown with their
/// number and path.
///
/// Foundation is no help here: its atomic write leaves files that others can read, and its replacement of a file loses
/// data on Linux.
enum SystemCalls {
  /// How a file is opened; each way closes at exec and refuses a symbolic link as the last part of the path.
  enum Opening {
    case reading
    case folder
    /// A new file, 0600; fails when there is one.
    case creating
    /// A lock file, 0600; made when there is none.
    case locking

    // Without O_NONBLOCK, opening a planted pipe would wait for a writer.
    fileprivate var flags: Int32 {
      switch self {
      case .reading: O_CLOEXEC | O_NOFOLLOW | O_RDONLY | O_NONBLOCK
      case .folder: O_CLOEXEC | O_NOFOLLOW | O_RDONLY | O_DIRECTORY
      case .creating: O_CLOEXEC | O_NOFOLLOW | O_WRONLY | O_CREAT | O_EXCL
      case .locking: O_CLOEXEC | O_NOFOLLOW | O_RDWR | O_CREAT | O_NONBLOCK
      }
    }
  }

  static func openFile(_ path: String, for opening: Opening) throws(SystemFailure) -> Int32 {
    try repeating("open", path) { open(path, opening.flags, 0o600) }
  }

  static func closeFile(_ descriptor: Int32) {
    _ = close(descriptor)
  }

  /// What stands at a path, without following a symbolic link; `nil` when nothing does.
  static func status(of path: String) throws(SystemFailure) -> FileStatus? {
    var status = stat()
    do {
      _ = try repeating("stat", path) { lstat(path, &status) }
    } catch {
      if error.isMissing { return nil }
      throw error
    }
    return FileStatus(status)
  }

  static func status(of descriptor: Int32, at path: String) throws(SystemFailure) -> FileStatus {
    var status = stat()
    _ = try repeating("stat", path) { fstat(descriptor, &status) }
    return FileStatus(status)
  }

  /// Reads up to a limit; the answer is longer than the limit by one when the file is.
  static func readBytes(_ descriptor: Int32, at path: String, expecting size: Int, limit: Int) throws(SystemFailure)
    -> [UInt8]
  {
    var bytes = [UInt8](repeating: 0, count: min(max(size, 0), limit) + 1)
    var filled = 0
    while filled <= limit {
      if filled == bytes.count { bytes.append(contentsOf: repeatElement(0, count: min(filled, limit + 1 - filled))) }
      let offset = filled
      let count = try repeating("read", path) {
        Int32(
          clamping: bytes.withUnsafeMutableBytes { buffer in
            read(descriptor, buffer.baseAddress?.advanced(by: offset), buffer.count - offset)
          })
      }
      if count == 0 { break }
      filled += Int(count)
    }
    bytes.removeLast(bytes.count - filled)
    return bytes
  }

  static func writeBytes(_ bytes: [UInt8], to descriptor: Int32, at path: String) throws(SystemFailure) {
    var written = 0
    while written < bytes.count {
      let offset = written
      let count = try repeating("write", path) {
        Int32(
          clamping: bytes.withUnsafeBytes { buffer in
            write(descriptor, buffer.baseAddress?.advanced(by: offset), buffer.count - offset)
          })
      }
      written += Int(count)
    }
  }

  static func setMode(_ mode: UInt16, of descriptor: Int32, at path: String) throws(SystemFailure) {
    _ = try repeating("chmod", path) { fchmod(descriptor, mode_t(mode)) }
  }

  /// Waits until a file's content, or a folder's entries, are on the device.
  static func synchronize(_ descriptor: Int32, at path: String) throws(SystemFailure) {
    _ = try repeating("fsync", path) { flushToDevice(descriptor) }
  }

  static func moveFile(_ source: String, to target: String) throws(SystemFailure) {
    _ = try repeating("rename", target) { rename(source, target) }
  }

  /// Gives a file a second name; fails when the name is taken.
  static func linkFile(_ source: String, to target: String) throws(SystemFailure) {
    _ = try repeating("link", target) { link(source, target) }
  }

  /// Removes a name; answers whether there was one.
  @discardableResult
  static func removeFile(_ path: String) throws(SystemFailure) -> Bool {
    do {
      _ = try repeating("unlink", path) { unlink(path) }
      return true
    } catch {
      if error.isMissing { return false }
      throw error
    }
  }

  /// Makes a folder, 0700; answers whether it was not there before.
  @discardableResult
  static func makeFolder(_ path: String) throws(SystemFailure) -> Bool {
    do {
      _ = try repeating("mkdir", path) { mkdir(path, 0o700) }
      return true
    } catch {
      if error.code == EEXIST { return false }
      throw error
    }
  }

  /// Makes the folders that lead to a path and are not there, each 0700.
  static func makeParents(of path: String) throws(SystemFailure) {
    var parent = ""
    for part in path.split(separator: "/").dropLast() {
      parent += "/" + part
      if try status(of: parent) == nil { try makeFolder(parent) }
    }
  }

  /// The names in a folder, without `.` and `..`; none when there is no such folder.
  ///
  /// With a suffix, only the names that end in it, without it: folders of many thousand files are listed this way.
  static func names(in path: String, endingIn suffix: String = "") throws(SystemFailure) -> [String] {
    guard let folder = opendir(path) else {
      let failure = SystemFailure("opendir", path, errno)
      if failure.isMissing { return [] }
      throw failure
    }
    defer { closedir(folder) }
    let nameOffset = MemoryLayout<dirent>.offset(of: \.d_name) ?? 0
    let ending = Array(suffix.utf8)
    var names: [String] = []
    while let entry = readdir(folder) {
      let start = UnsafeRawPointer(entry).advanced(by: nameOffset)
      let length = strlen(start.assumingMemoryBound(to: CChar.self))
      let name = UnsafeRawBufferPointer(start: start, count: length)
      guard length > ending.count, name.suffix(ending.count).elementsEqual(ending) else { continue }
      if length <= 2, name.allSatisfy({ $0 == UInt8(ascii: ".") }) { continue }
      names.append(String(decoding: name.dropLast(ending.count), as: UTF8.self))
    }
    return names
  }

  /// Takes the lock of an open file if it is free; another descriptor, in this process or elsewhere, may hold it.
  static func lockIfFree(_ descriptor: Int32, at path: String) throws(SystemFailure) -> Bool {
    do {
      _ = try repeating("flock", path) { flock(descriptor, LOCK_EX | LOCK_NB) }
      return true
    } catch {
      if error.code == EWOULDBLOCK { return false }
      throw error
    }
  }

  /// The user that this process acts as.
  static var userID: UInt32 { geteuid() }

  private static func repeating(
    _ call: String, _ path: String, _ body: () -> Int32
  ) throws(SystemFailure) -> Int32 {
    while true {
      let result = body()
      if result >= 0 { return result }
      let code = errno
      if code != EINTR { throw SystemFailure(call, path, code) }
    }
  }
}
