public import B2CCore

extension LocalTenant {
  /// How a tenant behaves, right or wrong; every field starts as a sound provider of the tenant's shape has it.
  public struct Behavior: Sendable {
    /// The answer to a refresh token that is used a second time.
    public enum RefreshTokenReuse: Sendable, Hashable {
      /// It is refused, and every token of the grant ends (RFC 9700 section 4.14.2).
      case revokesGrant
      /// It is refused; the token that replaced it stays good.
      case refused
      /// It works again, as with some Azure AD B2C native apps.
      case allowed
    }

    /// Whether each refresh returns a new refresh token.
    public var rotatesRefreshTokens = true
    /// The answer to a refresh token that is used a second time.
    public var refreshTokenReuse = RefreshTokenReuse.revokesGrant
    /// Whether `offline_access` is published and granted; otherwise asking for it is `invalid_scope`.
    public var offersOfflineAccess = true
    /// The scopes that are granted of those that were asked for; all of them for `nil`.
    public var grantedScopes: (@Sendable ([String]) -> [String])?
    /// Changes the fields of a token answer.
    public var changeTokenAnswer: (@Sendable (inout [String: JSONValue]) -> Void)?
    /// Changes the claims of an id_token before it is signed.
    public var changeIDTokenClaims: (@Sendable (inout [String: JSONValue]) -> Void)?
    /// Signs an id_token of these claims in place of the published key, which it is given.
    package var signIDToken: (@Sendable ([String: JSONValue], TestSigningKey) throws -> String)?
    /// Changes the claims of an access token before it is signed.
    package var changeAccessTokenClaims: (@Sendable (inout [String: JSONValue]) -> Void)?
    /// Changes the fields of a userinfo answer.
    package var changeUserInfo: (@Sendable (inout [String: JSONValue]) -> Void)?
    /// Changes the fields of the metadata document.
    package var changeMetadata: (@Sendable (inout [String: JSONValue]) -> Void)?
    /// Changes the list of published keys.
    package var changeKeys: (@Sendable (inout [[String: JSONValue]]) -> Void)?

    /// Makes the sound behaviour.
    public init() {}
  }
}
