// Foundation imports the system's C library, and only functions of that are used here.
internal import Foundation

/// The operating system's file calls, which repeat an interrupted call and throw a failed one's number and path.
///
/// Foundation's own functions are not used, because its atomic write lets other users read the file for a moment, and
/// its replacement of a file can lose data on Linux.
package struct POSIXFileSystem: FileSystem {
  package init() {}

  package var userID: UInt32 { geteuid() }

  package func open(_ path: String, _ opening: FileOpening) throws(SystemFailure) -> Int32 {
    // Without O_NONBLOCK, opening a named pipe that an attacker put there would wait for a writer forever.
    let flags =
      switch opening {
      case .reading: O_CLOEXEC | O_NOFOLLOW | O_RDONLY | O_NONBLOCK
      case .directory: O_CLOEXEC | O_NOFOLLOW | O_RDONLY | O_DIRECTORY
      case .creating: O_CLOEXEC | O_NOFOLLOW | O_WRONLY | O_CREAT | O_EXCL
      case .locking: O_CLOEXEC | O_NOFOLLOW | O_RDWR | O_CREAT | O_NONBLOCK
      }
    return try repeating("open", path) { systemOpen(path, flags, 0o600) }
  }

  package func close(_ descriptor: Int32) { _ = systemClose(descriptor) }

  package func status(of path: String) throws(SystemFailure) -> FileStatus? {
    var status = stat()
    return try succeeds("stat", path, unless: \.isMissing, { lstat(path, &status) }) ? FileStatus(status) : nil
  }

  package func status(of descriptor: Int32, at path: String) throws(SystemFailure) -> FileStatus {
    var status = stat()
    _ = try repeating("stat", path) { fstat(descriptor, &status) }
    return FileStatus(status)
  }

  package func read(_ descriptor: Int32, at path: String, limit: Int) throws(SystemFailure) -> [UInt8] {
    let size = Int(clamping: try status(of: descriptor, at: path).stamp.size)
    var bytes = [UInt8](repeating: 0, count: min(max(size, 0), limit) + 1)
    var filled = 0
    while filled <= limit {
      if filled == bytes.count { bytes.append(contentsOf: repeatElement(0, count: min(filled, limit + 1 - filled))) }
      let offset = filled
      let count = try repeating("read", path) {
        bytes.withUnsafeMutableBytes { buffer in
          Int32(clamping: systemRead(descriptor, buffer.baseAddress?.advanced(by: offset), buffer.count - offset))
        }
      }
      if count == 0 { break }
      filled += Int(count)
    }
    bytes.removeLast(bytes.count - filled)
    return bytes
  }

  package func write(_ bytes: [UInt8], to descriptor: Int32, at path: String) throws(SystemFailure) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = try repeating("write", path) {
        rest.withUnsafeBytes { Int32(clamping: systemWrite(descriptor, $0.baseAddress, $0.count)) }
      }
      rest = rest.dropFirst(Int(count))
    }
  }

  package func setMode(_ mode: UInt16, of descriptor: Int32, at path: String) throws(SystemFailure) {
    _ = try repeating("chmod", path) { fchmod(descriptor, mode_t(mode)) }
  }

  package func synchronize(_ descriptor: Int32, at path: String) throws(SystemFailure) {
    _ = try repeating("fsync", path) { flushToDevice(descriptor) }
  }

  package func move(_ source: String, to target: String) throws(SystemFailure) {
    _ = try repeating("rename", target) { rename(source, target) }
  }

  package func remove(_ path: String) throws(SystemFailure) -> Bool {
    try succeeds("unlink", path, unless: \.isMissing) { unlink(path) }
  }

  package func makeDirectory(_ path: String) throws(SystemFailure) -> Bool {
    try succeeds("mkdir", path, unless: { $0.code == EEXIST }) { mkdir(path, 0o700) }
  }

  package func names(in path: String) throws(SystemFailure) -> [String] {
    guard let directory = opendir(path) else {
      let failure = SystemFailure("opendir", path, errno)
      if failure.isMissing { return [] }
      throw failure
    }
    defer { closedir(directory) }
    let nameOffset = MemoryLayout<dirent>.offset(of: \.d_name) ?? 0
    var names: [String] = []
    while let entry = readdir(directory) {
      let start = UnsafeRawPointer(entry).advanced(by: nameOffset)
      let length = strlen(start.assumingMemoryBound(to: CChar.self))
      let name = String(decoding: UnsafeRawBufferPointer(start: start, count: length), as: UTF8.self)
      if name != "." && name != ".." { names.append(name) }
    }
    return names
  }

  package func lockIfFree(_ descriptor: Int32, at path: String) throws(SystemFailure) -> Bool {
    try succeeds("flock", path, unless: { $0.code == EWOULDBLOCK }) { flock(descriptor, LOCK_EX | LOCK_NB) }
  }

  /// Makes a call, and returns `false` for a failure that the caller expects.
  private func succeeds(
    _ call: String, _ path: String, unless isExpected: (SystemFailure) -> Bool, _ body: () -> Int32
  ) throws(SystemFailure) -> Bool {
    do throws(SystemFailure) {
      _ = try repeating(call, path, body)
      return true
    } catch {
      guard isExpected(error) else { throw error }
      return false
    }
  }

  private func repeating(_ call: String, _ path: String, _ body: () -> Int32) throws(SystemFailure) -> Int32 {
    while true {
      let result = body()
      if result >= 0 { return result }
      let code = errno
      if code != EINTR { throw SystemFailure(call, path, code) }
    }
  }
}

// Inside the struct, Swift would find the struct's own methods of these names first.
private func systemOpen(_ path: String, _ flags: Int32, _ mode: mode_t) -> Int32 { open(path, flags, mode) }
private func systemClose(_ descriptor: Int32) -> Int32 { close(descriptor) }
private let systemRead = read
private let systemWrite = write

/// Flushes the content of a file, or the entries of a directory, to the device.
private func flushToDevice(_ descriptor: Int32) -> Int32 {
  #if canImport(Darwin)
    // On Apple platforms, `fsync` leaves the data in the drive's cache. This call flushes that too, but network volumes
    // and some external ones do not support it.
    let result = fcntl(descriptor, F_FULLFSYNC)
    if result >= 0 { return result }
  #endif
  return fsync(descriptor)
}

extension FileStatus {
  fileprivate init(_ status: stat) {
    #if canImport(Darwin)
      let (device, changed) = (UInt64(bitPattern: Int64(status.st_dev)), status.st_ctimespec)
    #else
      let (device, changed) = (UInt64(status.st_dev), status.st_ctim)
    #endif
    self.init(
      kind: Kind(rawValue: UInt32(status.st_mode) & UInt32(S_IFMT)), mode: UInt32(status.st_mode) & 0o7777,
      owner: UInt32(status.st_uid),
      stamp: FileStamp(
        device: device, file: UInt64(status.st_ino), size: Int64(status.st_size), seconds: changed.tv_sec,
        nanoseconds: changed.tv_nsec))
  }
}
