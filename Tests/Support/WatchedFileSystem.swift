internal import B2CCore
package import B2CTokenCache
internal import Foundation

/// The system's file calls, recorded; a test may change a status or act between two calls.
package final class WatchedFileSystem: FileSystem {
  private let system = POSIXFileSystem()
  private let recorded = Locked<[String]>([])
  private let faults = Locked((writableBytes: Int.max, failsToFlushDirectories: false, isFull: false, isClosed: false))
  private let openFiles = Locked<Set<Int32>>([])
  private let changingStatus: @Sendable (String, FileStatus) -> FileStatus
  private let beforeLocking: @Sendable (String) -> Void
  private let changingNames: @Sendable (String, [String]) -> [String]

  package init(
    changingStatus: @escaping @Sendable (String, FileStatus) -> FileStatus = { $1 },
    beforeLocking: @escaping @Sendable (String) -> Void = { _ in },
    changingNames: @escaping @Sendable (String, [String]) -> [String] = { $1 }
  ) {
    self.changingStatus = changingStatus
    self.beforeLocking = beforeLocking
    self.changingNames = changingNames
  }

  /// The calls that change something, each with the last part of its path, since the last look.
  package func takeCalls() -> [String] { recorded.exchange([]) }

  package var openCount: Int { openFiles.withLock { $0.count } }

  /// Lets every later flush of the cache's directory fail, or none.
  package func failToFlushDirectories(_ fails: Bool = true) {
    faults.withLock { $0.failsToFlushDirectories = fails }
  }

  /// Lets every later look at a file or a directory be refused, or none.
  package func denyReading(_ isDenied: Bool = true) { faults.withLock { $0.isClosed = isDenied } }

  /// Lets no later file be created.
  package func fillDisk() { faults.withLock { $0.isFull = true } }

  /// Lets every later write fail after so many bytes.
  package func failWrites(afterBytes count: Int) { faults.withLock { $0.writableBytes = count } }

  // MARK: The calls

  package var userID: UInt32 { system.userID }

  package func open(_ path: String, _ opening: FileOpening) throws(SystemFailure) -> Int32 {
    if faults.withLock({ $0.isFull }), opening == .creating || opening == .locking, try system.status(of: path) == nil {
      throw SystemFailure("open", path, ENOSPC)
    }
    if opening == .reading { try checkReading("open", path) }
    let descriptor = try system.open(path, opening)
    openFiles.withLock { _ = $0.insert(descriptor) }
    if opening == .creating { note("create", path) }
    return descriptor
  }

  package func close(_ descriptor: Int32) {
    openFiles.withLock { _ = $0.remove(descriptor) }
    system.close(descriptor)
  }

  package func status(of path: String) throws(SystemFailure) -> FileStatus? {
    try checkReading("stat", path)
    return try system.status(of: path).map { changingStatus(path, $0) }
  }

  package func status(of descriptor: Int32, at path: String) throws(SystemFailure) -> FileStatus {
    changingStatus(path, try system.status(of: descriptor, at: path))
  }

  package func read(_ descriptor: Int32, at path: String, limit: Int) throws(SystemFailure) -> [UInt8] {
    try system.read(descriptor, at: path, limit: limit)
  }

  package func write(_ bytes: [UInt8], to descriptor: Int32, at path: String) throws(SystemFailure) {
    note("write", path)
    let count = faults.withLock { $0.writableBytes }
    try system.write(Array(bytes.prefix(count)), to: descriptor, at: path)
    // No file is open there, so the system refuses the rest.
    try system.write(Array(bytes.dropFirst(count)), to: -1, at: path)
  }

  package func setMode(_ mode: UInt16, of descriptor: Int32, at path: String) throws(SystemFailure) {
    try system.setMode(mode, of: descriptor, at: path)
  }

  package func synchronize(_ descriptor: Int32, at path: String) throws(SystemFailure) {
    note("flush", path)
    let fails = faults.withLock { $0.failsToFlushDirectories } && path.hasSuffix("/store")
    // No file is open there, so the system refuses.
    try system.synchronize(fails ? -1 : descriptor, at: path)
  }

  package func move(_ source: String, to target: String) throws(SystemFailure) {
    note("rename to", target)
    try system.move(source, to: target)
  }

  package func remove(_ path: String) throws(SystemFailure) -> Bool {
    let isRemoved = try system.remove(path)
    if isRemoved { note("remove", path) }
    return isRemoved
  }

  package func makeDirectory(_ path: String) throws(SystemFailure) -> Bool { try system.makeDirectory(path) }

  package func names(in path: String) throws(SystemFailure) -> [String] {
    changingNames(path, try system.names(in: path))
  }

  package func lockIfFree(_ descriptor: Int32, at path: String) throws(SystemFailure) -> Bool {
    beforeLocking(path)
    return try system.lockIfFree(descriptor, at: path)
  }

  private func checkReading(_ call: String, _ path: String) throws(SystemFailure) {
    if faults.withLock({ $0.isClosed }) { throw SystemFailure(call, path, EACCES) }
  }

  private func note(_ call: String, _ path: String) {
    recorded.withLock { $0.append(call + " " + (path.split(separator: "/").last ?? "")) }
  }
}
