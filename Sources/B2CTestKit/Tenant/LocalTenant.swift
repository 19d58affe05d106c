internal import B2CCore
public import Foundation

#if canImport(FoundationNetworking)
  public import FoundationNetworking
#endif

/// A local identity provider for tests and demonstrations, which imitates Azure AD B2C or another provider with real
/// pages, signed tokens and the provider's error codes.
///
/// You can reach it in two ways. In memory, ``LocalService/transport`` or a ``LocalNetwork`` passes it the requests to
/// ``origin`` without a socket. After ``start(port:)``, browsers and `URLSession` also reach it over HTTP on a loopback
/// port.
///
/// ```swift
/// let tenant = LocalTenant(users: [.alice], accessTokenLifetime: .seconds(600))
/// let connector = try Connector.local(tenant)
/// let user = try await connector.doPolicy(.signIn)
/// #expect(user.name == LocalUser.alice.displayName && tenant.counters.tokenRequests == 1)
/// ```
public final class LocalTenant: LocalService, Sendable {
  /// The kind of provider that a tenant imitates.
  public enum Shape: Sendable, Hashable {
    /// Azure AD B2C, with policies and `AADB2C` codes.
    case b2c
    /// Microsoft Entra ID, with `AADSTS` codes and device codes, but without policies.
    case entra
    /// Microsoft Entra External ID, which is like Entra ID but has its own issuer host.
    case ciam
    /// An OpenID Connect provider, with its metadata below the root and `iss` in callbacks (RFC 9207).
    case openIDConnect
  }

  /// The app's client ID, if a tenant is created without one.
  public static let standardClientID = "11111111-1111-4111-8111-111111111111"
  /// The API's client ID, if a tenant is created without one.
  public static let standardAPIClientID = "33333333-3333-4333-8333-333333333333"
  /// The app's redirect URI, if a tenant is created without one.
  public static let standardRedirectURI = "com.example.tasks:/callback"

  /// The kind of provider that the tenant imitates.
  public let shape: Shape
  /// The tenant's name, for example `contoso`.
  package let tenantName: String
  /// The tenant's GUID.
  public let tenantID: String
  /// The host of the tenant's custom URL domain, in lower case.
  let customDomain: String?
  /// The policies, which only ``Shape/b2c`` uses.
  public let policies: [LocalPolicy]
  /// The app's client ID.
  public let clientID: String
  /// The API's client ID, which is the audience of access tokens for ``apiScopes``.
  public let apiClientID: String
  /// The full scopes of the API.
  public let apiScopes: [String]
  /// How long access tokens and id_tokens are valid.
  package let accessTokenLifetime: Duration
  /// How long a refresh token is valid after it was issued, which each refresh does anew.
  package let refreshTokenLifetime: Duration

  let now: @Sendable () -> Date
  let exchange: LocalExchange
  let state: Locked<LocalTenantState>
  let front = LocalFront()

  /// Creates a tenant, which is reached in memory until ``start(port:)`` is called.
  ///
  /// - Parameters:
  ///   - tenantName: The tenant's name, by default `contoso`.
  ///   - shape: The kind of provider that the tenant imitates, by default ``Shape/b2c``.
  ///   - tenantID: The tenant's GUID.
  ///   - customDomain: The host of a custom URL domain, for example `login.contoso.com`, for ``Shape/b2c`` and
  ///     ``Shape/ciam``. ``origin`` then has this host, and the usual host works as well. By default there is none.
  ///   - policies: The policies, for ``Shape/b2c``. By default there is one of each kind.
  ///   - clientID: The app's client ID.
  ///   - redirectURIs: The app's registered redirect URIs. They are compared exactly, except that the port of a
  ///     loopback URI may differ (for ``Shape/b2c`` only that of `http://localhost`).
  ///   - apiClientID: The API's client ID.
  ///   - apiScopes: The full scopes of the API. With `nil`, the default, they are `https://<domain>/tasks/read` and
  ///     `…/write`.
  ///   - users: The users that the tenant knows at first, by default Alice and Bob.
  ///   - accessTokenLifetime: How long access tokens and id_tokens are valid, by default one hour.
  ///   - refreshTokenLifetime: How long a refresh token is valid, by default 14 days. Each refresh starts a new period.
  ///   - behavior: How the tenant behaves, by default as a correct provider.
  ///   - now: Returns the current date for the tenant, by default the system's.
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

  /// Responds to a request, after applying the faults that are set.
  ///
  /// - Parameter request: The request.
  /// - Returns: The response.
  /// - Throws: `URLError` if a fault leaves the request without a response.
  public func answer(_ request: URLRequest) async throws -> LocalResponse {
    try await exchange.run(request) { respond(to: $0) }
  }

  /// Also listens for HTTP requests on a loopback port, which ``origin`` then contains, until ``stop()`` is called.
  ///
  /// - Parameter port: The port, or 0, the default, to let the system choose one.
  /// - Throws: ``ConnectorError`` with code `portInUse` if another program uses the port, or `presentationFailed` if
  ///   the system refuses to listen for another reason.
  public func start(port: UInt16 = 0) async throws {
    try await front.start(port: port) { [weak self] in try await self?.answer($0) }
  }

  /// Stops listening for HTTP requests.
  ///
  /// The port is free when this returns. In memory, the tenant can still be reached.
  public func stop() async { await front.stop() }
}

extension LocalTenant {
  /// The numbers of requests that a tenant has received and of refreshes that succeeded.
  public struct Counters: Sendable, Hashable {
    /// The number of requests to the token endpoint.
    public internal(set) var tokenRequests = 0
    /// The number of requests to the token endpoint with a refresh token.
    public internal(set) var refreshRequests = 0
    /// The number of refreshes that returned tokens.
    public internal(set) var refreshes = 0
    /// The number of refreshes that were refused because the refresh token had been used before.
    public internal(set) var reusedRefreshTokens = 0
    /// The number of requests for the metadata document.
    public internal(set) var metadataRequests = 0
    /// The number of requests for the signing keys.
    public internal(set) var keysRequests = 0
  }
}
