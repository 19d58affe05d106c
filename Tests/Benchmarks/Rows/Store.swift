import B2CConnector
import Foundation
import TestSupport

extension Row {
  static let store = Row(
    number: "3", title: "durable store of one refreshed token, file cache, at 1 / 100 / 10,000 users"
  ) { context in
    var measurements: [Measurement] = []
    for (users, label) in [(1, "1 user"), (100, "100 users"), (10_000, "10,000 users")] {
      let pairs = try await storing(users: users, context)
      measurements.append(Measurement("store, \(label)", pairs, goal: 1.75))
      measurements.append(Measurement("store, \(label), time", pairs.subject.median * 1e6, "µs"))
    }
    // Each size has its own run, so the growth is that of the ratios to the same baseline.
    let growth = measurements[4].value / measurements[0].value
    measurements.append(Measurement("growth, 10,000 against 1", growth, "x", goal: 1.15))
    return measurements
  }

  static func storing(users: Int, _ context: Context) async throws -> Pairs {
    let directory = try await context.fileCache(users: users)
    let cache = try Scene.fileCache(directory)
    let key = try Scene.key(0)
    let bytes = try JSONEncoder().encode(Scene.record(0))
    let place = try context.directory("plain-\(users)").path
    // Made before: a refresh has its record already. Two, so that each store changes something.
    let records = [Scene.record(0, change: 1), Scene.record(0, change: 2)]
    var number = 0
    var stamp = try await cache.record(for: key)?.stamp ?? UUID()
    return try await Pairs.compare(context, pairs: 21, batch: 0.02) { count in
      for _ in 0..<count { try PlainFile.replace(place + "/record", in: place, with: bytes) }
    } subject: { count in
      for _ in 0..<count {
        number += 1
        // As a refresh does: the stored record is compared, then replaced.
        guard try await cache.replace(key, expecting: stamp, with: records[number % 2]) else {
          throw Failure("the record was changed by another writer")
        }
        stamp = records[number % 2].stamp
      }
    }
  }

  static let foreignChange = Row(
    number: "3b", title: "silent hit after another process changed one of 10,000 records"
  ) { context in
    let directory = try await context.fileCache(users: context.manyUsers)
    let client = try Scene.connector(try Scene.fileCache(directory))
    let user = Scene.user(3)
    let path = try PlainFile.path(of: Scene.key(3), in: directory)
    let writer = try ChildProcess("change-records", [directory.path])
    guard writer.readLine() == "ready" else { throw Failure("the other process did not start") }
    let before = try await client.accessToken(user: user)
    var latest = before
    func change() throws {
      writer.signal()
      guard writer.readLine() == "changed" else { throw Failure("the other process did not change the record") }
    }
    let pairs = try await Pairs.compare(pairs: context.pairs(101)) {
      try change()
      return try await Pairs.seconds { _ = try PlainFile.content(of: path) }
    } subject: {
      try change()
      let seen = latest
      let seconds = try await Pairs.seconds { latest = try await client.accessToken(user: user) }
      guard latest.token != seen.token else { throw Failure("the change of the other process was not seen") }
      return seconds
    }
    writer.readToEnd()
    return [
      Measurement("hit after a change against stat and read", pairs, goal: 12),
      Measurement("hit after a change, time", pairs.subject.median * 1e6, "µs"),
      Measurement("stat and read, time", pairs.baseline.median * 1e6, "µs"),
    ]
  }
}

/// Another process that changes a record whenever it is told to.
enum ForeignWriter {
  static func run(_ arguments: [String]) async throws {
    let directory = URL(fileURLWithPath: try require(arguments.first, "the directory"), isDirectory: true)
    let cache = try Scene.fileCache(directory)
    let key = try Scene.key(3)
    try Child.say("ready")
    var change = 0
    while readLine() != nil {
      change += 1
      try await cache.store(Scene.record(3, change: change), for: key)
      try Child.say("changed")
    }
  }
}

/// The floor of a durable write (temporary file, fsync, rename, fsync of the directory) and of a read (stat and read).
enum PlainFile {
  /// Finds the file that holds a key's record.
  static func path(of key: TokenCacheKey, in directory: URL) throws -> String {
    let user = Data(key.userID.utf8)
    for file in try FileManager.default.contentsOfDirectory(at: directory, includingPropertiesForKeys: nil) {
      if let data = try? Data(contentsOf: file), data.range(of: user) != nil { return file.path }
    }
    throw Failure("no file in \(directory.path) has the record")
  }

  static func content(of path: String) throws -> [UInt8] {
    // No `stat`: in a package with swift-nio its module is not this file's.
    guard access(path, R_OK) == 0 else { throw Failure("\(path) is not there") }
    let file = open(path, O_RDONLY | O_CLOEXEC)
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: Int(lseek(file, 0, SEEK_END)))
    lseek(file, 0, SEEK_SET)
    let count = bytes.withUnsafeMutableBytes { read(file, $0.baseAddress, $0.count) }
    guard count == bytes.count else { throw Failure("\(path) is not read") }
    return bytes
  }

  static func replace(_ path: String, in directory: String, with bytes: Data) throws {
    let temporary = path + ".new"
    let file = open(temporary, O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw Failure("\(temporary) cannot be opened") }
    let count = bytes.withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
    let isFlushed = fsync(file) == 0
    close(file)
    guard count == bytes.count, isFlushed, rename(temporary, path) == 0 else { throw Failure("\(path) is not written") }
    let folder = open(directory, O_RDONLY | O_CLOEXEC)
    fsync(folder)
    close(folder)
  }
}
