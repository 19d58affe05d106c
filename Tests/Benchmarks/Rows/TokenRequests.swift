import B2CConnector
import B2CTestKit
import Foundation
import TestSupport

extension Row {
  static let tokenRequests = Row(number: "4", title: "token requests of many callers, endpoint of 300 ms") { context in
    let scene = try await CallerScene(context)
    var measurements: [Measurement] = []
    for (name, outcome) in [
      ("1,000 callers on an expired token", try await scene.expired(callers: 1_000)),
      ("16,000 callers on an expired token", try await scene.expired(callers: 16_000)),
      ("two clients over one cache", try await scene.expired(callers: 1_000, clients: 2)),
      ("1,000 callers that get a 401", try await scene.refused(callers: 1_000)),
      ("8 processes on one file cache", try await scene.processes(8)),
    ] {
      measurements.append(Measurement(count: name, outcome.requests, "requests", goal: 1))
      measurements.append(Measurement("\(name), wall time", outcome.pairs, goal: 1.3))
    }
    for kind in CacheKind.allCases {
      let requests = try await scene.twoClients(over: kind, callers: 100)
      measurements.append(
        Measurement(count: "two clients over one store, \(kind.rawValue)", requests, "requests", goal: 1))
    }
    await scene.tenant.stop()
    return measurements
  }
}

private struct CallerScene: Sendable {
  /// The token requests of the round that is furthest from one, and the wall time compared with the baseline.
  typealias Outcome = (requests: Double, pairs: Pairs)
  /// The seconds until every caller is done, and the token requests that the callers caused.
  typealias Round = (seconds: Double, requests: Int)

  let tenant: SlowTenant
  private let key: TokenCacheKey
  private let expiredRecord: TokenRecord
  private let context: Context

  init(_ context: Context) async throws {
    self.context = context
    tenant = try await SlowTenant()
    (key, expiredRecord) = try await tenant.expiredRecord()
    tenant.setDelay(.milliseconds(300))
  }

  func expired(callers: Int, clients count: Int = 1) async throws -> Outcome {
    try await compare(expiredRecord, with: validRecord()) { record in
      try await round(record, clients: count) { clients in
        try await simultaneously(callers) { _ = try await clients[$0 % count].accessToken() }
      }
    }
  }

  func refused(callers: Int) async throws -> Outcome {
    // The token looks valid to the SDK, but the API refuses it.
    let record = validRecord()
    let transport = RefusingAPI(refused: "Bearer " + (record.accessTokens.first?.token.value ?? ""))
    return try await compare(record, with: validRecord(token: "accepted")) { record in
      try await round(record, transport: transport) { clients in
        try await simultaneously(callers) { _ in _ = try await clients[0].getTaskList() }
      }
    }
  }

  func processes(_ count: Int) async throws -> Outcome {
    try await compare(expiredRecord, with: validRecord()) { record in
      let directory = try context.directory("refresh-\(UUID().uuidString)")
      try await Scene.fileCache(directory).store(record, for: key)
      let children = try (0..<count).map { _ in
        try ChildProcess("refresh", [directory.path, tenant.authority] + tenant.tenant.apiScopes)
      }
      for child in children where child.readLine() != "ready" { throw Failure("a process did not start") }
      let before = tenant.tenant.counters.refreshRequests
      let start = ContinuousClock.now
      for child in children { child.signal() }
      for child in children where child.readLine() != "done" { throw Failure("a process got no token") }
      let seconds = start.duration(to: .now) / .seconds(1)
      for child in children { child.readToEnd() }
      return (seconds, tenant.tenant.counters.refreshRequests - before)
    }
  }

  func twoClients(over kind: CacheKind, callers: Int) async throws -> Double {
    let caches = try kind.make(in: try context.directory("two-clients-\(kind.rawValue)"))
    try await caches.one.store(expiredRecord, for: key)
    let transport = URLSessionTransport()
    let clients = try [caches.one, caches.two].map { try tenant.connector($0, transport: transport) }
    let before = tenant.tenant.counters.refreshRequests
    try await simultaneously(callers) { _ = try await clients[$0 % 2].accessToken() }
    for client in clients { _ = try await client.session }
    return Double(tenant.tenant.counters.refreshRequests - before)
  }

  /// The record with a token that is valid for an hour, and old enough for the SDK to replace it after a 401.
  private func validRecord(token: String? = nil) -> TokenRecord {
    var record = expiredRecord
    for index in record.accessTokens.indices {
      if let token { record.accessTokens[index].token = Secret(token) }
      record.accessTokens[index].expiresAt = Date().addingTimeInterval(3_600)
      record.accessTokens[index].receivedAt = Date().addingTimeInterval(-600)
    }
    return record
  }

  /// Compares rounds over a record that needs a token request with a bare request and rounds over one that needs none.
  private func compare(
    _ record: TokenRecord, with valid: TokenRecord, _ round: (TokenRecord) async throws -> Round
  ) async throws -> Outcome {
    var requests: [Int] = []
    let pairs = try await Pairs.compare(pairs: context.pairs(11)) {
      let request = try await tenant.bareRequest()
      let calls = try await round(valid)
      guard calls.requests == 0 else { throw Failure("calls with a valid token sent a token request") }
      return request + calls.seconds
    } subject: {
      let calls = try await round(record)
      requests.append(calls.requests)
      return calls.seconds
    }
    return (Double(requests.max { abs($0 - 1) < abs($1 - 1) } ?? 0), pairs)
  }

  /// Runs callers over a new cache that holds a record.
  private func round(
    _ record: TokenRecord, clients count: Int = 1, transport: any HTTPTransport = URLSessionTransport(),
    _ callers: ([Connector]) async throws -> Void
  ) async throws -> Round {
    let cache = InMemoryTokenCache()
    await cache.store(record, for: key)
    let clients = try (0..<count).map { _ in try tenant.connector(cache, transport: transport) }
    let before = tenant.tenant.counters.refreshRequests
    let seconds = try await Pairs.seconds { try await callers(clients) }
    // Metadata, keys and claims follow; the next measurement must not share the machine with them.
    for client in clients { _ = try await client.session }
    return (seconds, tenant.tenant.counters.refreshRequests - before)
  }
}

/// A network with an API that refuses one token and takes every other.
private struct RefusingAPI: HTTPTransport {
  let refused: String
  private let network = URLSessionTransport()

  func send(_ request: URLRequest, limits: TransportLimits) async throws -> (Data, HTTPURLResponse) {
    guard request.url?.host == "tasks.example" else { return try await network.send(request, limits: limits) }
    let response =
      request.value(forHTTPHeaderField: "Authorization") == refused
      ? LocalResponse(status: 401, headers: ["WWW-Authenticate": "Bearer error=\"invalid_token\""])
      : LocalResponse(status: 200, body: Data("[]".utf8))
    return try response.answer(to: request.url)
  }
}

enum RefreshingProcess {
  static func run(_ arguments: [String]) async throws {
    let directory = URL(fileURLWithPath: try require(arguments.first, "the directory"), isDirectory: true)
    let settings = try SlowTenant.settings(
      authority: try require(arguments.dropFirst().first, "the authority"), scopes: Array(arguments.dropFirst(2)))
    let client = try Scene.connector(
      try Scene.fileCache(directory), transport: URLSessionTransport(), settings: settings)
    try Child.say("ready")
    _ = readLine()
    _ = try await client.accessToken()
    try Child.say("done")
    _ = try await client.session
  }
}
