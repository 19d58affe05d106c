import B2CConnector
import B2CLoopback
import B2CTestKit
import Foundation
import TestSupport

/// A local tenant on loopback HTTP that takes its time for every answer.
final class SlowTenant: Sendable {
  let tenant: LocalTenant
  let url: URL
  private let listener: LoopbackListener
  private let delay: Locked<Duration>

  init(shape: LocalTenant.Shape = .b2c) async throws {
    let tenant = LocalTenant(shape: shape)
    // The same refresh token is used in every repetition.
    tenant.behavior.refreshTokenReuse = .allowed
    let delay = Locked(Duration.zero)
    listener = try await LoopbackListener { exchange in
      try? await Task.sleep(for: delay.withLock { $0 })
      if exchange.request.path == "/ping" { return _ = await exchange.respond(.text("pong")) }
      guard let message = exchange.message, let response = try? await tenant.answer(message) else {
        return exchange.close()
      }
      await exchange.respond(LoopbackResponse(response))
    }
    self.tenant = tenant
    self.delay = delay
    url = try Scene.url("http://127.0.0.1:\(listener.port)")
  }

  func setDelay(_ duration: Duration) { delay.withLock { $0 = duration } }

  func stop() async { await listener.close() }

  /// The authority, at this front.
  var authority: String {
    tenant.authority().replacingOccurrences(of: tenant.inMemoryOrigin.absoluteString, with: url.absoluteString)
  }

  var settings: ConnectorSettings {
    get throws { try Self.settings(authority: authority, scopes: tenant.apiScopes, isGeneric: tenant.shape != .b2c) }
  }

  static func settings(authority: String, scopes: [String], isGeneric: Bool = false) throws -> ConnectorSettings {
    var settings = try Scene.settings(authority: Authority(authority, kind: isGeneric ? .openIDConnect : nil))
    settings.scopes = scopes
    if isGeneric { settings.policies = ConnectorSettings.Policies() }
    return settings
  }

  func connector(
    _ cache: any TokenCache, transport: any HTTPTransport = URLSessionTransport(),
    presenter: any SignInPresenter = Scene.noPage
  ) throws -> Connector {
    try Scene.connector(cache, transport: transport, presenter: presenter, settings: settings)
  }

  /// Signs in, and returns the record with its access token expired.
  func expiredRecord() async throws -> (key: TokenCacheKey, record: TokenRecord) {
    setDelay(.zero)
    let cache = InMemoryTokenCache()
    let presenter = ScriptedPresenter(transport: URLSessionTransport(), .signIn(.alice))
    try await connector(cache, presenter: presenter).signIn()
    let key = try require(await cache.keys().first, "the record of the sign-in")
    var record = try require(await cache.record(for: key), "the record of the sign-in")
    for index in record.accessTokens.indices { record.accessTokens[index].expiresAt = Date().addingTimeInterval(-10) }
    tenant.clearRequests()
    return (key, record)
  }

  /// Seconds that one bare request takes, on a new session.
  func bareRequest() async throws -> Double {
    let transport = URLSessionTransport()
    let request = URLRequest(url: url.appendingPathComponent("ping"))
    return try await Pairs.seconds { _ = try await transport.send(request, limits: .standard) }
  }
}

/// A presenter that notes when the page would open, and closes it immediately.
struct TimedPage: SignInPresenter {
  private let opened = Locked<Double?>(nil)

  func present(_ request: PresentationRequest) async throws -> URL {
    // A page opens with its URL.
    let url = request.url
    opened.withLock { $0 = Pairs.Clock.wall.now() }
    throw Failure("closed the page of \(url.host ?? "")")
  }

  /// Seconds from the start of a sign-in to the page.
  func time(_ signIn: () async throws -> Void) async throws -> Double {
    let start = Pairs.Clock.wall.now()
    // The page closes immediately, so the sign-in fails.
    try? await signIn()
    let end = try require(opened.withLock { $0 }, "the sign-in page")
    return end - start
  }
}
