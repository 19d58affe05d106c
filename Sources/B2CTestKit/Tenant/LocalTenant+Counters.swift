extension LocalTenant {
  /// How often a tenant was asked for what, and how often it gave it.
  public struct Counters: Sendable, Hashable {
    /// Calls of the token endpoint.
    public internal(set) var tokenRequests = 0
    /// Calls of the token endpoint with a code.
    public internal(set) var codeRequests = 0
    /// Calls of the token endpoint with a refresh token.
    public internal(set) var refreshRequests = 0
    /// Refreshes that gave tokens.
    public internal(set) var refreshes = 0
    /// Refreshes refused because the refresh token had been used before.
    public internal(set) var reusedRefreshTokens = 0
    /// Calls of the authorize endpoint.
    public internal(set) var authorizeRequests = 0
    /// Sign-ins that ended with a code.
    public internal(set) var codesIssued = 0
    /// Calls for the metadata document.
    public internal(set) var metadataRequests = 0
    /// Calls for the signing keys.
    public internal(set) var keysRequests = 0
    /// Calls of the logout endpoint.
    public internal(set) var logoutRequests = 0
    /// Calls of the device endpoint.
    public internal(set) var deviceRequests = 0
    /// Calls of the Graph-like endpoint `/v1.0/me`.
    public internal(set) var graphRequests = 0
  }
}
