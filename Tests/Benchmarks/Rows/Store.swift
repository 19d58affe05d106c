import B2CConnector
import B2CCore
import Foundation
import TestSupport

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

extension Row {
  static let store = Row(
    number: "3", title: "durable store of one refreshed token, file cache, at 1 / 100 / 10,000 accounts",
    meaning: "what a refresh adds for keeping its token through a power cut"
  ) { context in
    var measurements: [Measurement] = []
    var times: [Double] = []
    let sizes = context.isQuick ? [1, 20, 200] : [1, 100, 10_000]
    for (accounts, label) in zip(sizes, ["1", "100", "10,000"]) {
      let pairs = try await storing(accounts: accounts, context)
      times.append(pairs.subject.median)
      measurements.append(Measurement("store, \(label) account\(accounts == 1 ? "" : "s")", pairs, goal: 1.75))
      measurements.append(
        Measurement("store, \(label) account\(accounts == 1 ? "" : "s"), time", pairs.subject.median * 1e6, "µs"))
    }
    // Each size has its own run, so the growth is that of the ratios to the same baseline.
    let growth = measurements[4].value / measurements[0].value
    measurements.append(Measurement("growth, 10,000 against 1", growth, "x", goal: 1.15))
    return measurements
  }

  static func storing(accounts: Int, _ context: Context) async throws -> Pairs {
    let directory = try await context.fileCache(accounts: accounts)
    let cache = try Scene.fileCache(directory)
    let key = try Scene.key(0)
    let bytes = try JSONEncoder().encode(Scene.record(0))
    let place = try context.workspace.directory("plain-\(accounts)").path
    let number = Locked(0)
    return try await Pairs.compare(context, pairs: 21, batch: 0.02) { count in
      for _ in 0..<count { try PlainFile.replace(place + "/record", in: place, with: bytes) }
    } subject: { count in
      for _ in 0..<count {
        let change = number.withLock {
          $0 += 1
          return $0
        }
        let record = Scene.record(0, change: change)
        try await cache.update(key) { _ in record }
      }
    }
  }

  static let foreignChange = Row(
    number: "3b", title: "silent hit after another process changed one of 10,000 records",
    meaning: "an app and its extension, or two servers, see each other's tokens at once"
  ) { context in
    let directory = try await context.fileCache(accounts: context.manyAccounts)
    let client = try Scene.client(try Scene.fileCache(directory))
    let account = Scene.account(3)
    let writer = try ChildProcess("change-records", [directory.path])
    guard writer.readLine() == "ready" else { throw Failure("the other process did not start") }
    let before = try await client.accessToken(account: account)
    var times: [Double] = []
    var latest = before
    for _ in 0..<(context.isQuick ? 3 : 101) {
      writer.signal()
      guard writer.readLine() == "changed" else { throw Failure("the other process did not change the record") }
      let seen = latest
      times.append(
        try await Pairs.seconds { latest = try await client.accessToken(account: account) })
      guard latest.token != seen.token else { throw Failure("the change of the other process was not seen") }
    }
    writer.readToEnd()
    let quartiles = Pairs.Quartiles(times)
    var measurement = Measurement(
      "hit after a change", quartiles.median * 1e6, "µs", goal: 500,
      remark: "read and decoded by Foundation's decoder, which no user notices in a call of milliseconds"
    ).relaxed(from: 200)
    measurement.quartiles = [quartiles.lower * 1e6, quartiles.upper * 1e6]
    return [measurement]
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

/// The floor of a durable write: temporary file, fsync, rename, fsync of the directory.
enum PlainFile {
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
