import B2CTokenCache
import Glibc

/// The simulated disk as one process sees it: the file system calls of a cache in files.
struct ProcessDisk: FileSystem, @unchecked Sendable {
  let disk: SimulatedDisk
  /// `nil` for a look from outside.
  let process: AppProcess?

  nonisolated(unsafe) private static var names = 0

  /// Returns a name of the directory `/data/tokens` that no other cache has.
  ///
  /// Caches over one path share their state within a real process, which simulated processes must not.
  static func newDirectory() -> String {
    names += 1
    return "/data/\(10_000_000 + names)/tokens"
  }

  var userID: UInt32 { 1000 }

  func open(_ path: String, _ opening: FileOpening) throws(SystemFailure) -> Int32 {
    let path = Self.plain(path)
    switch opening {
    case .reading, .directory:
      try access("open", path, writing: false)
      guard let file = disk.files[path] else { throw SystemFailure("open", path, ENOENT) }
      return disk.open(file, process)
    case .creating, .locking:
      try access("open", path, writing: disk.files[path] == nil)
      guard disk.files[Self.parent(path)] != nil else { throw SystemFailure("open", path, ENOENT) }
      if case .creating = opening, disk.files[path] != nil { throw SystemFailure("open", path, EEXIST) }
      let file = disk.files[path] ?? disk.makeFile(isDirectory: false)
      if disk.files[path] == nil { enter(path, file) }
      return disk.open(file, process)
    }
  }

  func close(_ descriptor: Int32) {
    guard process?.isDead != true else { return }
    disk.close(descriptor)
  }

  func status(of path: String) throws(SystemFailure) -> FileStatus? {
    try access("stat", path, writing: false)
    return disk.files[Self.plain(path)].map(status)
  }

  func status(of descriptor: Int32, at path: String) throws(SystemFailure) -> FileStatus {
    try access("stat", path, writing: false)
    return status(try file(descriptor, path))
  }

  func read(_ descriptor: Int32, at path: String, limit: Int) throws(SystemFailure) -> [UInt8] {
    try access("read", path, writing: false)
    return Array(try file(descriptor, path).bytes.prefix(limit + 1))
  }

  func write(_ bytes: [UInt8], to descriptor: Int32, at path: String) throws(SystemFailure) {
    let file = try file(descriptor, path)
    do throws(SystemFailure) {
      try access("write", path, writing: true)
    } catch {
      // A disk that is full takes a part.
      file.bytes += bytes.prefix(machine.draw.below(bytes.count))
      throw error
    }
    file.bytes += bytes
    file.changedAt = machine.wallClock
  }

  func setMode(_ mode: UInt16, of descriptor: Int32, at path: String) throws(SystemFailure) {
    try access("chmod", path, writing: false)
  }

  func synchronize(_ descriptor: Int32, at path: String) throws(SystemFailure) {
    try access("fsync", path, writing: true)
    let file = try file(descriptor, path)
    file.flushed = file.bytes
    guard file.isDirectory else { return }
    let directory = Self.plain(path)
    for (name, file) in disk.files where Self.parent(name) == directory { disk.flushedNames[name] = file }
    for name in disk.flushedNames.keys where Self.parent(name) == directory && disk.files[name] == nil {
      disk.flushedNames[name] = nil
    }
  }

  func move(_ source: String, to target: String) throws(SystemFailure) {
    let (source, target) = (Self.plain(source), Self.plain(target))
    try access("rename", target, writing: true)
    guard let file = disk.files[source] else { throw SystemFailure("rename", source, ENOENT) }
    enter(source, nil)
    enter(target, file)
    file.changedAt = machine.wallClock
  }

  func remove(_ path: String) throws(SystemFailure) -> Bool {
    // A full disk can be freed; one that cannot be reached cannot.
    try access("unlink", path, writing: false)
    let path = Self.plain(path)
    guard disk.files[path] != nil else { return false }
    enter(path, nil)
    return true
  }

  func makeDirectory(_ path: String) throws(SystemFailure) -> Bool {
    let path = Self.plain(path)
    try access("mkdir", path, writing: true)
    guard disk.files[path] == nil else { return false }
    enter(path, disk.makeFile(isDirectory: true))
    return true
  }

  /// Changes a name, and with it the dates of its directory.
  private func enter(_ path: String, _ file: SimulatedDisk.File?) {
    disk.files[path] = file
    disk.files[Self.parent(path)]?.changedAt = machine.wallClock
  }

  func names(in path: String) throws(SystemFailure) -> [String] {
    let path = Self.plain(path)
    try access("readdir", path, writing: false)
    return disk.files.keys.filter { Self.parent($0) == path && $0 != "/" }.sorted().map {
      String($0.dropFirst(path.count + 1))
    }
  }

  func lockIfFree(_ descriptor: Int32, at path: String) throws(SystemFailure) -> Bool {
    try access("flock", path, writing: false)
    let file = try file(descriptor, path)
    if let holder = file.lock, holder != descriptor { return false }
    file.lock = descriptor
    return true
  }

  private func access(_ call: String, _ path: String, writing: Bool) throws(SystemFailure) {
    guard let process else { return }
    process.world.noteAccess(by: process)
    if process.isDead { throw SystemFailure(call, path, EIO) }
    if let kind = Self.kind(of: call, path), disk.trouble.refusal(of: kind, text(of: path)) != nil {
      process.world.noteStoreFault(in: process, kind)
      throw SystemFailure(call, path, EIO)
    }
    if disk.trouble.fails(writing: writing) {
      process.world.noteStoreFault(in: process, Self.kind(of: call, path))
      throw SystemFailure(call, path, writing ? ENOSPC : EIO)
    }
  }

  /// What a call is to a cache: a listing, or an access to the file of one record.
  private static func kind(of call: String, _ path: String) -> Access? {
    switch call {
    case "readdir": .listing
    case "open", "read": path.hasSuffix(".json") ? .reading : nil
    case "rename": .writing
    case "unlink": path.hasSuffix(".json") ? .removing : nil
    default: nil
    }
  }

  private func text(of path: String) -> String? {
    disk.files[Self.plain(path)].map { String(decoding: $0.bytes, as: UTF8.self) }
  }

  private func file(_ descriptor: Int32, _ path: String) throws(SystemFailure) -> SimulatedDisk.File {
    guard let open = disk.descriptors[descriptor] else { throw SystemFailure("descriptor", path, EBADF) }
    return open.file
  }

  private func status(_ file: SimulatedDisk.File) -> FileStatus {
    FileStatus(
      kind: file.isDirectory ? .directory : .regularFile, mode: file.isDirectory ? 0o700 : 0o600, owner: 1000,
      stamp: FileStamp(
        device: 1, file: file.number, size: Int64(file.bytes.count), seconds: 0, nanoseconds: file.changedAt))
  }

  /// The path on the disk: without the process's own part.
  private static func plain(_ path: String) -> String {
    var parts = path.split(separator: "/", omittingEmptySubsequences: true)
    if parts.count > 1, parts[0] == "data", Int(parts[1]) != nil { parts.remove(at: 1) }
    if parts.last == "." { parts.removeLast() }
    return "/" + parts.joined(separator: "/")
  }

  private static func parent(_ path: String) -> String {
    guard let slash = path.lastIndex(of: "/"), slash != path.startIndex else { return "/" }
    return String(path[..<slash])
  }
}
