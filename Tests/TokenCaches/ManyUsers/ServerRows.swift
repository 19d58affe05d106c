import B2CConnector
import B2COAuth
import Foundation
import ServerParts
import TestSupport

extension Row {
  static let server: [Row] = [
    Row(
      number: "19", title: "a server's way: 64 callers, each call with another user's token"
    ) { context in
      let variables = ProcessInfo.processInfo.environment
      let database = try require(variables["B2C_POSTGRESQL"], "B2C_POSTGRESQL, a connection string of libpq")
      return try await ManyUsers.measure("PostgreSQL", ServerParts.postgreSQL(database), context)
        + ManyUsers.measure("SQLite", ServerParts.sqlite(context.directory("sqlite")), context)
    }
  ]

  static func serverChild(_ arguments: [String]) async throws {
    try await ServerParts.serve(TaskLists.json(tasks: 5)) { port in try? Child.say("\(port)") }
  }
}

private enum ManyUsers {
  static let callers = 64
  #if DEBUG
    // A debug build only shows that the row runs.
    private static let (users, goal): (Int, Double?) = (200, nil)
  #else
    private static let (users, goal): (Int, Double?) = (10_000, 2.5)
  #endif

  static func measure(_ name: String, _ cache: any TokenCache, _ context: Context) async throws -> [Measurement] {
    try await Scene.fill(cache, users: users)
    let api = try ChildProcess("server")
    let url = try Scene.url("http://127.0.0.1:\(api.readLine())/tasks")
    var settings = try Scene.settings()
    settings.taskWebAPI = url
    let connector = try Scene.connector(cache, transport: ServerParts.transport(), settings: settings)
    let token = try await connector.accessToken(user: Scene.user(7)).token.value
    let plain = PlainClient(url: url.absoluteString, token: token)
    // In each batch the users come in turn, from another one on; no user comes twice before all were there.
    let next = Locked(0)
    let pairs = try await Pairs.compare(context, pairs: 15, batch: 1) { count in
      try await parallel(count) { _ = try await plain.tasks() }
    } subject: { count in
      try await parallel(count) {
        let number = next.withLock { next in
          next = (next + 1) % users
          return next
        }
        _ = try await connector.getTaskList(user: Scene.user(number))
      }
    }
    try await plain.close()
    _ = api.killAndRead()
    await connector.close()
    let calls = 1 / pairs.subject.median
    return [
      Measurement("\(name): call against async-http-client with a ready header", pairs, goal: goal),
      Measurement("\(name): calls per second", calls.rounded(), "calls/s"),
      Measurement("\(name): calls per second of the bare client", (1 / pairs.baseline.median).rounded(), "calls/s"),
    ]
  }

  /// Runs work so many times, by 64 callers at the same time.
  private static func parallel(_ count: Int, _ work: @escaping @Sendable () async throws -> Void) async throws {
    try await simultaneously(callers) { caller in
      for _ in stride(from: caller, to: count, by: callers) { try await work() }
    }
  }
}
