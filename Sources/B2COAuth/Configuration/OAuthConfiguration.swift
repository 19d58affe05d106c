package import Foundation

/// What the engine is told: authority, application, scopes, and timeouts.
package struct OAuthConfiguration: Sendable {
  /// The authority that signs people in.
  package var authority: Authority
  /// The application (client) ID.
  package var clientID: String
  /// The redirect URI, exactly as it is registered.
  package var redirectURI: URL
  /// The scopes of the API whose tokens are asked for; `openid` is added.
  package var scopes: [String]
  /// Whether this process may use refresh tokens.
  package var refreshesTokens = true
  /// What runs before a refresh token is used; what it throws prevents that.
  package var beforeRefresh: (@Sendable (UserInfo) async throws -> Void)?
  /// Further scopes the user is asked to consent to at sign-in, without a token for them (ADAL's `additionalScopes`).
  package var additionalScopes: [String] = []
  /// The policy that is run when a call names none; `nil` for an authority that has no policies.
  package var defaultPolicy: Policy?
  /// The password-reset policy.
  package var passwordResetPolicy: Policy?
  /// The only user who may sign in: an email, user name, object id or subject (ADAL's `RequiredDisplayableId`).
  package var requiredUser: String?
  /// The correlation id of every request; a fresh one for each when `nil`.
  package var correlationID: UUID?
  /// How long before its end a token is renewed; at most half of the token's life counts.
  ///
  /// 300 seconds.
  package var expiryMargin = Duration.seconds(300)
  /// How far this device's clock may be off when an id_token is checked, beside the measured offset.
  ///
  /// 300 seconds.
  package var clockSkew = Duration.seconds(300)
  /// How long token, metadata and key requests may take and how much they may bring.
  package var limits = TransportLimits.standard
  /// How often and when a request for metadata or keys is sent again; token requests are sent once.
  package var retry = RetryPolicy()

  /// Creates a configuration; everything except the parameters has a safe default.
  ///
  /// - Parameters:
  ///   - authority: The authority that signs users in; its policy, if any, becomes the default one.
  ///   - clientID: The application (client) ID.
  ///   - redirectURI: The redirect URI, exactly as it is registered.
  ///   - scopes: The scopes of the API whose tokens are asked for.
  package init(authority: Authority, clientID: String, redirectURI: URL, scopes: [String] = []) {
    self.authority = authority
    self.clientID = clientID
    self.redirectURI = redirectURI
    self.scopes = scopes
    defaultPolicy = authority.policy
  }
}
