import B2CConnector
import B2CCore
import B2CTestKit
import Foundation
import TestSupport

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension Row {
  static let tokenRequests = Row(
    number: "4", title: "token requests of many callers, endpoint of 300 ms",
    meaning: "no burst of calls is throttled by the service or loses the session to a refresh token used twice"
  ) { context in
    let scene = try await CallerScene(context)
    var measurements: [Measurement] = []
    for (name, outcome) in [
      ("1,000 callers on an expired token", try await scene.expired(callers: 1_000)),
      ("16,000 callers on an expired token", try await scene.expired(callers: 16_000)),
      ("two clients over one cache", try await scene.twoClients(callers: 1_000)),
      ("1,000 callers met by 401", try await scene.refused(callers: 1_000)),
      ("8 processes on one file cache", try await scene.processes(8)),
    ] {
      measurements.append(Measurement(count: name, outcome.requests, "requests", goal: 1))
      measurements.append(
        Measurement("\(name), wall time against one bare request", outcome.pairs, goal: 1.15))
    }
    for callers in [1, 8, 64] {
      let requests = try await scene.expired(callers: callers).requests
      measurements.append(
        Measurement(
          count: "\(callers) caller\(callers == 1 ? "" : "s") on an expired token", requests, "requests", goal: 1))
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

/// Callers who all want a token at once, from a tenant that takes its time.
private struct CallerScene: Sendable {
  /// Token requests of each round, or of the round that is furthest from one; and the wall time beside a bare request.
  typealias Outcome = (requests: Double, pairs: Pairs)

  let tenant: SlowTenant
  private let key: TokenCacheKey
  private let record: TokenRecord
  private let context: Context
  private let delay: Duration
  private let rounds: Int

  init(_ context: Context) async throws {
    self.context = context
    delay = context.isQuick ? .milliseconds(50) : .milliseconds(300)
    rounds = context.isQuick ? 1 : 11
    tenant = try await SlowTenant()
    (key, record) = try await tenant.expiredRecord()
  }

  func expired(callers: Int) async throws -> Outcome {
    try await measure { client in
      try await Self.all(callers) { _ in _ = try await client.accessToken() }
    }
  }

  func twoClients(callers: Int) async throws -> Outcome {
    try await measure(clients: 2) { clients in
      try await Self.all(callers) { _ = try await clients[$0 % 2].accessToken() }
    }
  }

  /// Token requests of two clients over one store, each with the cache of a kind.
  func twoClients(over kind: CacheKind, callers: Int) async throws -> Double {
    tenant.setDelay(delay)
    let caches = try kind.make(in: try context.workspace.directory("two-clients-\(kind.rawValue)"))
    try await caches.one.store(record, for: key)
    let transport = URLSessionTransport()
    let clients = try [caches.one, caches.two].map { try tenant.client($0, transport: transport) }
    let before = tenant.tenant.counters.refreshRequests
    try await Self.all(callers) { _ = try await clients[$0 % 2].accessToken() }
    for client in clients { _ = try await client.currentUser() }
    return Double(tenant.tenant.counters.refreshRequests - before)
  }

  func refused(callers: Int) async throws -> Outcome {
    // The token looks good here; the API knows better.
    var good = record
    for index in good.accessTokens.indices {
      good.accessTokens[index].expiresAt = Date().addingTimeInterval(3_600)
      good.accessTokens[index].receivedAt = Date().addingTimeInterval(-600)
    }
    let old = good.accessTokens.first?.token.value ?? ""
    return try await measure(record: good) { client in
      let url = try Scene.url("https://tasks.example/tasks")
      let tasks = TaskAPIClient(
        baseURL: url,
        transport: AuthorizedTransport(
          RetryingTransport(transport: RefusingAPI(refused: "Bearer " + old)), tokens: client.bearerTokens(),
          allowedOrigins: Set([Origin(url)].compactMap(\.self))))
      try await Self.all(callers) { _ in _ = try await tasks.list() }
    }
  }

  func processes(_ count: Int) async throws -> Outcome {
    tenant.setDelay(delay)
    var requests: [Int] = []
    let pairs = try await Pairs.compare(pairs: rounds) {
      try await tenant.bareRequest()
    } subject: {
      let directory = try context.workspace.directory("refresh-\(requests.count)")
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
      requests.append(tenant.tenant.counters.refreshRequests - before)
      return seconds
    }
    return (Self.furthestFromOne(requests), pairs)
  }

  private static func furthestFromOne(_ requests: [Int]) -> Double {
    Double(requests.max { abs($0 - 1) < abs($1 - 1) } ?? 0)
  }

  private func measure(
    record: TokenRecord? = nil, _ body: (OAuthClient) async throws -> Void
  ) async throws -> Outcome {
    try await measure(record: record, clients: 1) { try await body($0[0]) }
  }

  private func measure(
    record: TokenRecord? = nil, clients count: Int, _ body: ([OAuthClient]) async throws -> Void
  ) async throws -> Outcome {
    tenant.setDelay(delay)
    var requests: [Int] = []
    let pairs = try await Pairs.compare(pairs: rounds) {
      try await tenant.bareRequest()
    } subject: {
      let cache = InMemoryTokenCache()
      await cache.store(record ?? self.record, for: key)
      let transport = URLSessionTransport()
      let clients = try (0..<count).map { _ in try tenant.client(cache, transport: transport) }
      let before = tenant.tenant.counters.refreshRequests
      let seconds = try await Pairs.seconds { try await body(clients) }
      for client in clients { _ = try await client.currentUser() }
      requests.append(tenant.tenant.counters.refreshRequests - before)
      return seconds
    }
    return (Self.furthestFromOne(requests), pairs)
  }

  private static func all(_ callers: Int, _ call: @escaping @Sendable (Int) async throws -> Void) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for caller in 0..<callers { group.addTask { try await call(caller) } }
      try await group.waitForAll()
    }
  }
}

/// An API that refuses one token and takes every other.
private struct RefusingAPI: HTTPTransport {
  let refused: String

  func send(_ request: URLRequest, limits: TransportLimits) async throws -> (Data, HTTPURLResponse) {
    let response =
      request.value(forHTTPHeaderField: "Authorization") == refused
      ? LocalResponse(status: 401, headers: ["WWW-Authenticate": "Bearer error=\"invalid_token\""])
      : Scene.emptyList
    return try response.answer(to: request.url)
  }
}

/// One of several processes that want a token from one cache.
enum RefreshingProcess {
  static func run(_ arguments: [String]) async throws {
    let directory = URL(fileURLWithPath: try require(arguments.first, "the directory"), isDirectory: true)
    let configuration = try SlowTenant.configuration(
      authority: try require(arguments.dropFirst().first, "the authority"), shape: .b2c,
      scopes: Array(arguments.dropFirst(2)))
    let client = try OAuthClient(
      configuration: configuration,
      environment: ConnectorEnvironment(presenter: NoPage(), cache: try Scene.fileCache(directory)))
    try Child.say("ready")
    _ = readLine()
    _ = try await client.accessToken()
    try Child.say("done")
    _ = try await client.currentUser()
  }
}
