import B2CCore
import Foundation
import TestSupport

/// The options of the run, a directory for files that is removed at the end, and the allocation counts.
final class Context: Sendable {
  let options: Options
  private let folder: TemporaryDirectory
  /// File caches with users in them; filling one of 10,000 takes seconds.
  private let caches = Locked<[Int: URL]>([:])
  /// The number of users that stands for many.
  let manyUsers = 10_000

  init(_ options: Options) throws {
    self.options = options
    folder = try TemporaryDirectory("benchmarks")
  }

  /// Makes a directory for a row.
  func directory(_ name: String) throws -> URL {
    let directory = folder.url.appendingPathComponent(name, isDirectory: true)
    try FileManager.default.createDirectory(
      at: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    return directory
  }

  func remove() { folder.remove() }

  /// Returns the number of pairs to measure.
  ///
  /// `--check` needs fewer, because it only looks for ratios that have doubled.
  func pairs(_ count: Int) -> Int { options.isCheck ? max(5, count / 3) : count }

  /// The directory of a file cache that holds so many users; made once.
  func fileCache(users: Int) async throws -> URL {
    if let made = caches.withLock({ $0[users] }) { return made }
    let directory = try directory("cache-\(users)")
    try await Scene.fill(try Scene.fileCache(directory), users: users)
    caches.withLock { $0[users] = directory }
    return directory
  }

  /// Counts the allocations of a silent hit in a process of its own, or returns `nil` without the counter.
  func allocationsOfHit() throws -> Int? {
    guard let counter = options.counter else { return nil }
    let child = try ChildProcess("allocations", environment: ["LD_PRELOAD": counter])
    let text = child.readToEnd()
    guard child.ending == 0, let count = Int(text.trimmingCharacters(in: .whitespacesAndNewlines)) else {
      throw Failure("the allocations were not counted: \(text)")
    }
    return count
  }
}
