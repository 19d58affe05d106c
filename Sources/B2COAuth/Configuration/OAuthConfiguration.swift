public import Foundation

/// What an ``OAuthClient`` works with: which authority, which application, which scopes, and how patient it is.
public struct OAuthConfiguration: Sendable {
  /// The authority that signs people in.
  public var authority: Authority
  /// The application (client) id.
  public var clientID: String
  /// The redirect URI, exactly as it is registered.
  public var redirectURI: URL
  /// The scopes of the API whose tokens are asked for; `openid` is added.
  public var scopes: [String]
  /// Whether to ask for `offline_access`, which brings refresh tokens.
  ///
  /// At Microsoft authorities it is added to every request; elsewhere only where the metadata's `scopes_supported` lists
  /// it. Name it in ``scopes`` for a provider that offers it without saying so.
  public var requestsOfflineAccess = true
  /// Further scopes the user is asked to consent to at sign-in, without a token for them (ADAL's `additionalScopes`).
  public var additionalScopes: [String]
  /// The policy that is run when a call names none; `nil` for an authority that has no policies.
  public var defaultPolicy: Policy?
  /// The password-reset policy.
  public var passwordResetPolicy: Policy?
  /// The only user who may sign in: an email, user name, object id or subject (ADAL's `RequiredDisplayableId`).
  public var requiredUser: String?
  /// The correlation id of every request; a fresh one for each when `nil`.
  public var correlationID: UUID?
  /// How long before its end a token is renewed; at most half of the token's life counts.
  ///
  /// 300 seconds.
  public var expiryMargin: Duration
  /// How far this device's clock may be off when an id_token is checked, beside the measured offset.
  ///
  /// 300 seconds.
  public var clockSkew: Duration
  /// How long metadata and keys are used without asking again.
  ///
  /// 24 hours.
  public var metadataLifetime: Duration
  /// The longest pause before the issuer is asked again for a key id that it has not published.
  ///
  /// The pause starts at 5 seconds and doubles with each failure up to this; 5 minutes.
  public var keyRefetchInterval: Duration
  /// How long token, metadata and key requests may take and how much they may bring.
  public var limits: TransportLimits
  /// How often and when a request for metadata or keys is sent again; token requests are sent once.
  public var retry: RetryPolicy
  /// Whether token requests name this library and its version (`x-client-SKU`, `x-client-Ver`).
  public var sendsLibraryHeaders: Bool

  /// Makes a configuration; everything but the first three has a default that is safe.
  ///
  /// - Parameters:
  ///   - authority: The authority that signs people in.
  ///   - clientID: The application (client) id.
  ///   - redirectURI: The redirect URI, exactly as it is registered.
  ///   - scopes: The scopes of the API whose tokens are asked for.
  ///   - additionalScopes: Further scopes to consent to at sign-in.
  ///   - defaultPolicy: The policy that is run when a call names none; the one in the authority's text if `nil`.
  ///   - passwordResetPolicy: The policy that gives a forgotten password anew.
  ///   - requiredUser: The only user who may sign in.
  ///   - correlationID: The correlation id of every request; a fresh one for each when `nil`.
  public init(
    authority: Authority, clientID: String, redirectURI: URL, scopes: [String] = [], additionalScopes: [String] = [],
    defaultPolicy: Policy? = nil, passwordResetPolicy: Policy? = nil, requiredUser: String? = nil,
    correlationID: UUID? = nil
  ) {
    self.authority = authority
    self.clientID = clientID
    self.redirectURI = redirectURI
    self.scopes = scopes
    self.additionalScopes = additionalScopes
    self.defaultPolicy = defaultPolicy ?? authority.policy
    self.passwordResetPolicy = passwordResetPolicy
    self.requiredUser = requiredUser
    self.correlationID = correlationID
    expiryMargin = .seconds(300)
    clockSkew = .seconds(300)
    metadataLifetime = .seconds(86_400)
    keyRefetchInterval = .seconds(300)
    limits = .standard
    retry = .standard
    sendsLibraryHeaders = true
  }
}
