public import B2CCore

extension LocalTenant {
  /// The behavior of a tenant, by default that of a correct provider of its shape.
  public struct Behavior: Sendable {
    /// How a tenant responds to a refresh token that is used for the second time.
    public enum RefreshTokenReuse: Sendable, Hashable {
      /// Refuses it and revokes all tokens of the same grant (RFC 9700 section 4.14.2).
      case revokesGrant
      /// Refuses it. The token that replaced it keeps working.
      case refused
      /// Accepts it again, as Azure AD B2C does for some native apps.
      case allowed
    }

    /// Whether each refresh returns a new refresh token, by default true.
    public var rotatesRefreshTokens = true
    /// How the tenant responds to a refresh token that is used for the second time, by default with
    /// ``RefreshTokenReuse/revokesGrant``.
    public var refreshTokenReuse = RefreshTokenReuse.revokesGrant
    /// Whether `offline_access` is published and granted, by default true, and otherwise refused with `invalid_scope`.
    public var offersOfflineAccess = true
    /// Returns the scopes to grant for the requested ones, or is `nil`, the default, if all are granted.
    public var grantedScopes: (@Sendable ([String]) -> [String])?
    /// Changes the fields of a token response before it is sent.
    public var changeTokenAnswer: (@Sendable (inout [String: JSONValue]) -> Void)?
    /// Changes the claims of an id_token before it is signed.
    public var changeIDTokenClaims: (@Sendable (inout [String: JSONValue]) -> Void)?
    /// Signs an id_token with these claims in place of the tenant, which passes the published key.
    package var signIDToken: (@Sendable ([String: JSONValue], TestSigningKey) throws -> String)?
    /// Changes the claims of an access token before it is signed.
    package var changeAccessTokenClaims: (@Sendable (inout [String: JSONValue]) -> Void)?
    /// Changes the fields of a userinfo response before it is sent.
    package var changeUserInfo: (@Sendable (inout [String: JSONValue]) -> Void)?
    /// Changes the fields of the metadata document before it is sent.
    package var changeMetadata: (@Sendable (inout [String: JSONValue]) -> Void)?
    /// Changes the list of published keys before it is sent.
    package var changeKeys: (@Sendable (inout [[String: JSONValue]]) -> Void)?

    /// Creates the behavior of a correct provider.
    public init() {}
  }
}
