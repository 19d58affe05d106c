import B2CCore
import Foundation
import TestSupport

struct Options: Sendable {
  /// The rows to run; all of them if it is empty.
  var only: Set<String> = []
  /// Whether to measure a third of the pairs and to leave out the rows that take minutes.
  var isCheck = false
  /// The file for the measurements, as JSON.
  var json: String?
  /// Whether to write the table into this directory's README.
  var writes = false
  /// The library that counts allocations, to be preloaded; `Tests/Benchmarks/run` builds it.
  var counter: String?

  init(_ arguments: [String]) throws {
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      switch argument {
      case "--only": only = Set(try require(rest.popFirst(), "N of --only").split(separator: ",").map(String.init))
      case "--check": isCheck = true
      case "--json": json = try require(rest.popFirst(), "FILE of --json")
      case "--write": writes = true
      case "--counter": counter = try require(rest.popFirst(), "LIBRARY of --counter")
      default:
        throw Failure(
          "unknown argument \(argument); benchmarks [--only N,N] [--check] [--json FILE] [--write] [--counter LIBRARY]")
      }
    }
    guard !writes || (only.isEmpty && !isCheck) else {
      throw Failure("--write publishes one run of the whole table: leave out --only and --check")
    }
  }

  func includes(_ row: Row) -> Bool {
    only.isEmpty ? !(isCheck && row.takesMinutes) : only.contains(row.number)
  }
}

/// Returns a value that a benchmark cannot go on without.
func require<Value>(_ value: Value?, _ name: String) throws -> Value {
  guard let value else { throw Failure("\(name) is missing") }
  return value
}

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
