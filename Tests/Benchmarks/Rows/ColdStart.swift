import B2CConnector
import B2CTestKit
import Foundation
import TestSupport

extension Row {
  static let firstToken = Row(
    number: "12", title: "first token after a launch with an expired token, 50 ms per request"
  ) { context in
    var measurements: [Measurement] = []
    for (shape, name, goal) in [
      (LocalTenant.Shape.b2c, "Azure AD B2C", 1.2), (.openIDConnect, "a generic issuer", 2.2),
    ] {
      let tenant = try await SlowTenant(shape: shape)
      let (key, record) = try await tenant.expiredRecord()
      tenant.setDelay(.milliseconds(50))
      let before = tenant.tenant.counters.tokenRequests
      let count = context.pairs(21)
      let pairs = try await Pairs.compare(pairs: count) {
        try await tenant.bareRequest()
      } subject: {
        let cache = InMemoryTokenCache()
        await cache.store(record, for: key)
        let transport = URLSessionTransport()
        let start = ContinuousClock.now
        let client = try tenant.connector(cache, transport: transport)
        _ = try await client.accessToken()
        let seconds = start.duration(to: .now) / .seconds(1)
        // Metadata, keys and claims follow; the next measurement must not share the machine with them.
        _ = try await client.session
        return seconds
      }
      let requests = Double(tenant.tenant.counters.tokenRequests - before) / Double(count)
      await tenant.stop()
      measurements += [
        Measurement(name, pairs, goal: goal),
        Measurement("\(name), time", pairs.subject.median * 1e3, "ms"),
        Measurement(count: "\(name), token requests per launch", requests, "requests", goal: 1),
      ]
    }
    return measurements
  }

  static let signInPage = Row(number: "13", title: "sign-in page opens, cold client, 50 ms per request") { context in
    let tenant = try await SlowTenant()
    tenant.setDelay(.milliseconds(50))
    let pairs = try await Pairs.compare(pairs: context.pairs(21)) {
      try await tenant.bareRequest()
    } subject: {
      let transport = URLSessionTransport()
      let opened = Locked<Double?>(nil)
      let page = CannedPresenter { request in
        // A page opens with its URL.
        let url = request.url
        opened.withLock { $0 = Pairs.Clock.wall.now() }
        throw Failure("closed the page of \(url.host ?? "")")
      }
      let start = Pairs.Clock.wall.now()
      // The page closes immediately, so the sign-in fails.
      _ = try? await tenant.connector(InMemoryTokenCache(), transport: transport, presenter: page).signIn()
      return try require(opened.withLock { $0 }, "the sign-in page") - start
    }
    await tenant.stop()
    return [
      Measurement("page opens", pairs, goal: 1.1),
      Measurement("page opens, time", pairs.subject.median * 1e3, "ms"),
    ]
  }

  static let launch = Row(number: "7", title: "process start to first token, file cache") { context in
    let pairs = context.pairs(41)
    let one = try await directory(users: 1, context)
    let many = try await directory(users: context.manyUsers, context)
    let bare = try await Pairs.compare(pairs: pairs) {
      try ChildProcess.time("launch-bare")
    } subject: {
      try ChildProcess.time("launch", [one.path])
    }
    let named = try await Pairs.compare(pairs: pairs) {
      try ChildProcess.time("launch", [one.path, "0"])
    } subject: {
      try ChildProcess.time("launch", [many.path, "0"])
    }
    let unnamed = Pairs.Quartiles(try (0..<3).map { _ in try ChildProcess.time("launch", [many.path]) })
    return [
      Measurement("one user against a bare session", bare, goal: 1.25),
      Measurement("one user, time", bare.subject.median * 1e3, "ms"),
      Measurement("bare session, time", bare.baseline.median * 1e3, "ms"),
      Measurement("10,000 users against one, user named", named, goal: 1.2),
      Measurement("10,000 users, none named, time", unnamed.median * 1e3, "ms"),
    ]
  }

  private static func directory(users: Int, _ context: Context) async throws -> URL {
    let directory = try await context.fileCache(users: users)
    let settings = try Scene.settings()
    let values: [String: Any] = [
      "authority": settings.authority.description, "clientId": settings.clientID, "scopes": settings.scopes,
      "redirectUri": settings.redirectURI.absoluteString, "policies": settings.policies.all.map(\.id),
    ]
    try PropertyListSerialization.data(fromPropertyList: values, format: .xml, options: 0)
      .write(to: LaunchedProgram.settings(beside: directory))
    return directory
  }
}

/// A program that starts, reads its settings, and wants one token.
enum LaunchedProgram {
  static func settings(beside directory: URL) -> URL { directory.appendingPathExtension("plist") }

  static func run(_ arguments: [String]) async throws {
    let directory = URL(fileURLWithPath: try require(arguments.first, "the directory"), isDirectory: true)
    let connector = try Connector(
      settings: ConnectorSettings(contentsOf: settings(beside: directory)), presenter: Scene.noPage,
      cache: try Scene.fileCache(directory))
    _ = try await connector.accessToken(user: arguments.dropFirst().first.flatMap { Int($0) }.map(Scene.user))
  }

  /// The floor: a program that makes a session and ends.
  static func runBare() {
    let session = URLSession(configuration: .ephemeral)
    withExtendedLifetime(session) {}
  }
}
