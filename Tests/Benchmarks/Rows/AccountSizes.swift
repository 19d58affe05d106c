import B2CConnector
import B2CCore
import Foundation

/// The points of the plot of cost against the number of accounts.
enum AccountSizes {
  /// They belong to the row of growth.
  static let row = "2"
  static let subjects = ["silent hit, memory", "store, file cache", "store, whole-file rewrite"]

  static func name(_ subject: String, _ accounts: Int) -> String { "\(subject), \(accounts) accounts" }

  static func isPoint(_ measurement: Measurement) -> Bool {
    measurement.row == row && subjects.contains { measurement.name.hasPrefix($0 + ",") }
  }

  static func measure(_ context: Context) async throws -> [Measurement] {
    var measurements: [Measurement] = []
    for accounts in context.isQuick ? [1, 20] : [1, 10, 100, 1_000, 10_000] {
      let client = try Scene.client(try await Scene.memoryCache(accounts: accounts))
      let file = try Scene.fileCache(try await context.fileCache(accounts: accounts))
      let rewriting = try WholeFile(accounts: accounts, directory: try context.workspace.directory("whole").path)
      let account = Scene.account(0)
      let key = try Scene.key(0)
      let records = [Scene.record(0, change: 1), Scene.record(0, change: 2)]
      let hit = try await seconds(context, by: .processor) { _ in _ = try await client.accessToken(account: account) }
      let store = try await seconds(context) { number in
        try await file.update(key) { _ in records[number % 2] }
      }
      let whole = try await seconds(context) { number in try rewriting.store(records[number % 2]) }
      for (name, seconds) in zip(subjects, [hit, store, whole]) {
        measurements.append(Measurement(Self.name(name, accounts), seconds * 1e6, "µs"))
      }
    }
    return measurements
  }

  /// The median of several batches.
  private static func seconds(
    _ context: Context, by clock: Pairs.Clock = .wall, _ body: (Int) async throws -> Void
  ) async throws -> Double {
    var number = 0
    let times = try await Pairs.time(context, batch: 0.02, by: clock) { count in
      for _ in 0..<count {
        number += 1
        try await body(number)
      }
    }
    return times.median
  }
}

/// What a cache in one file does at each store: encodes every account and replaces the file, durably.
private struct WholeFile {
  private var records: [String: TokenRecord] = [:]
  private let directory: String

  init(accounts: Int, directory: String) throws {
    for number in 0..<accounts { records[try Scene.key(number).canonicalText] = Scene.record(number) }
    self.directory = directory
  }

  func store(_ record: TokenRecord) throws {
    var all = records
    all[try Scene.key(0).canonicalText] = record
    try PlainFile.replace(directory + "/cache.json", in: directory, with: try JSONEncoder().encode(all))
  }
}
