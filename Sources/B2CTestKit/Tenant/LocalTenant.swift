internal import B2CCore
public import Foundation

#if canImport(FoundationNetworking)
  public import FoundationNetworking
#endif

/// A provider in the shape of Azure AD B2C for tests and demonstrations: policies with real pages, tokens that verify,
/// every refusal with its code.
///
/// It is one core from request to answer with two fronts. In memory, through ``LocalService/transport`` or a
/// ``LocalNetwork``, it answers for ``origin`` without any socket. After ``start(port:)`` it also answers over HTTP on a
/// loopback port that the system chose, for browsers and `URLSession`.
///
/// ```swift
/// let tenant = LocalTenant(users: [.alice], accessTokenLifetime: .seconds(600))
/// let connector = try Connector.local(tenant)
/// let user = try await connector.doPolicy(.signIn)
/// #expect(user.name == LocalUser.alice.displayName && tenant.counters.tokenRequests == 1)
/// ```
public final class LocalTenant: LocalService, Sendable {
  /// Which kind of service the tenant plays.
  public enum Shape: Sendable, Hashable {
    /// Azure AD B2C: policies, `AADB2C` codes.
    case b2c
    /// Microsoft Entra ID: no policies, `AADSTS` codes, device codes.
    case entra
    /// Microsoft Entra External ID: as Entra ID, with its own issuer host.
    case ciam
    /// A plain OpenID Connect provider: discovery at the root, `iss` in callbacks (RFC 9207).
    case openIDConnect
  }

  /// The client ID that tenants know unless told otherwise.
  public static let standardClientID = "11111111-1111-4111-8111-111111111111"
  /// The client ID of the API whose scopes tenants know unless told otherwise.
  public static let standardAPIClientID = "33333333-3333-4333-8333-333333333333"
  /// The redirect URI that tenants know unless told otherwise.
  public static let standardRedirectURI = "com.example.tasks:/callback"

  /// Which kind of service the tenant plays.
  public let shape: Shape
  /// The tenant's name, such as `contoso`.
  package let tenantName: String
  /// The tenant's GUID.
  public let tenantID: String
  /// The host of the tenant's custom URL domain, in lower case.
  let customDomain: String?
  /// The policies; used in the shape ``Shape/b2c`` only.
  public let policies: [LocalPolicy]
  /// The app's client ID.
  public let clientID: String
  /// The client ID of the API: the audience of access tokens for ``apiScopes``.
  public let apiClientID: String
  /// The scopes of the API, in full.
  public let apiScopes: [String]
  /// How long access and id tokens live.
  package let accessTokenLifetime: Duration
  /// How long a refresh token lives, counted anew with each refresh.
  package let refreshTokenLifetime: Duration

  let now: @Sendable () -> Date
  let exchange: LocalExchange
  let state: Locked<LocalTenantState>
  let front = LocalFront()

  /// Makes a tenant; nothing listens before ``start(port:)``.
  ///
  /// - Parameters:
  ///   - tenantName: The tenant's name.
  ///   - shape: Which kind of service the tenant plays.
  ///   - tenantID: The tenant's GUID.
  ///   - customDomain: The host of a custom URL domain, such as `login.contoso.com`, for the shapes ``Shape/b2c`` and
  ///     ``Shape/ciam``: the tenant answers there as well, and ``origin`` is there.
  ///   - policies: The policies, for the shape ``Shape/b2c``.
  ///   - clientID: The app's client ID.
  ///   - redirectURIs: The app's registered redirect URIs, compared exactly except for the port of a loopback URI
  ///     (in the shape of Azure AD B2C only that of `http://localhost`).
  ///   - apiClientID: The client ID of the API.
  ///   - apiScopes: The scopes of the API, in full; `https://<domain>/tasks/read` and `…/write` for `nil`.
  ///   - users: The people the tenant knows from the start.
  ///   - accessTokenLifetime: How long access and id tokens live.
  ///   - refreshTokenLifetime: How long a refresh token lives, counted anew with each refresh.
  ///   - behavior: How the tenant behaves.
  ///   - now: The tenant's clock.
  public init(
    tenantName: String = "contoso", shape: Shape = .b2c, tenantID: String = "22222222-2222-4222-8222-222222222222",
    customDomain: String? = nil, policies: [LocalPolicy] = LocalPolicy.standard,
    clientID: String = LocalTenant.standardClientID, redirectURIs: [String] = [LocalTenant.standardRedirectURI],
    apiClientID: String = LocalTenant.standardAPIClientID, apiScopes: [String]? = nil,
    users: [LocalUser] = [.alice, .bob], accessTokenLifetime: Duration = .seconds(3600),
    refreshTokenLifetime: Duration = .seconds(14 * 86_400), behavior: Behavior = Behavior(),
    now: @escaping @Sendable () -> Date = { Date() }
  ) {
    self.tenantName = tenantName
    self.shape = shape
    self.tenantID = tenantID.lowercased()
    self.customDomain = customDomain?.lowercased()
    self.policies = policies
    self.clientID = clientID
    self.apiClientID = apiClientID
    self.apiScopes = apiScopes ?? ["read", "write"].map { "https://\(tenantName).onmicrosoft.com/tasks/\($0)" }
    self.accessTokenLifetime = accessTokenLifetime
    self.refreshTokenLifetime = refreshTokenLifetime
    self.now = now
    exchange = LocalExchange(now: now)
    state = Locked(LocalTenantState(users: users, redirectURIs: redirectURIs, behavior: behavior))
  }

  /// Answers a request, with whatever faults are set.
  ///
  /// - Parameter request: The request.
  /// - Returns: The answer.
  /// - Throws: `URLError` where a fault leaves the request without one.
  public func answer(_ request: URLRequest) async throws -> LocalResponse {
    try await exchange.run(request) { respond(to: $0) }
  }

  /// Answers over HTTP on a loopback port too, from now until ``stop()``; ``origin`` tells where.
  ///
  /// - Parameter port: The port; the system chooses one for 0.
  /// - Throws: `ConnectorError` with code `portInUse`, or `presentationFailed` when the system refuses another way.
  public func start(port: UInt16 = 0) async throws {
    try await front.start(port: port) { [weak self] in try await self?.answer($0) }
  }

  /// Stops answering over HTTP.
  ///
  /// The port is free when this returns; in memory the tenant answers on.
  public func stop() async { await front.stop() }
}

extension LocalTenant {
  /// How often a tenant was asked for what, and how often it gave it.
  public struct Counters: Sendable, Hashable {
    /// Calls of the token endpoint.
    public internal(set) var tokenRequests = 0
    /// Calls of the token endpoint with a refresh token.
    public internal(set) var refreshRequests = 0
    /// Refreshes that gave tokens.
    public internal(set) var refreshes = 0
    /// Refreshes refused because the refresh token had been used before.
    public internal(set) var reusedRefreshTokens = 0
    /// Calls for the metadata document.
    public internal(set) var metadataRequests = 0
    /// Calls for the signing keys.
    public internal(set) var keysRequests = 0
  }
}
