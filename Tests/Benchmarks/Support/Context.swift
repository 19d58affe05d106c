import Foundation
import TestSupport

/// What the rows share: the options, a directory for their files, and the allocation counts.
final class Context: Sendable {
  let options: Options
  let workspace: Workspace
  private let caches = FilledCaches()

  init(_ options: Options) throws {
    self.options = options
    workspace = try Workspace()
  }

  /// How many users stand for many.
  var manyUsers: Int { 10_000 }

  /// How many of so many pairs to measure; `--check` needs fewer, because it only looks for ratios that have doubled.
  func pairs(_ count: Int) -> Int { options.isCheck ? max(5, count / 3) : count }

  /// The directory of a file cache that holds so many users; made once.
  func fileCache(users: Int) async throws -> URL {
    try await caches.directory(users: users, in: workspace)
  }

  /// Counts the allocations of a child's work; `nil` without the counter.
  func allocations(_ work: String) throws -> Int? {
    guard let counter = options.counter else { return nil }
    let child = try ChildProcess("allocations", [work], environment: ["LD_PRELOAD": counter])
    let text = child.readToEnd()
    guard child.ending == 0, let count = Int(text.trimmingCharacters(in: .whitespacesAndNewlines)) else {
      throw Failure("the allocations of \(work) were not counted: \(text)")
    }
    return count
  }
}

/// A directory for one run, removed at its end.
struct Workspace: Sendable {
  let url: URL

  init() throws {
    url = FileManager.default.temporaryDirectory
      .appendingPathComponent("b2c-benchmarks-\(UUID().uuidString)", isDirectory: true)
    try FileManager.default.createDirectory(
      at: url, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
  }

  func directory(_ name: String) throws -> URL {
    let directory = url.appendingPathComponent(name, isDirectory: true)
    try FileManager.default.createDirectory(
      at: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    return directory
  }

  func remove() {
    try? FileManager.default.removeItem(at: url)
  }
}

/// File caches with users in them; filling one of 10,000 takes seconds.
private actor FilledCaches {
  private var directories: [Int: URL] = [:]

  func directory(users: Int, in workspace: Workspace) async throws -> URL {
    if let directory = directories[users] { return directory }
    let directory = try workspace.directory("cache-\(users)")
    directories[users] = directory
    try await Scene.fill(try Scene.fileCache(directory), users: users)
    return directory
  }
}
