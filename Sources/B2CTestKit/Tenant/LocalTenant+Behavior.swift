public import B2CCore

extension LocalTenant {
  /// How a tenant behaves, right or wrong; every field starts as a sound provider of the tenant's shape has it.
  public struct Behavior: Sendable {
    /// The treatment of a value that the tenant has to give back.
    public enum Echo: Sendable, Hashable {
      /// It comes back as it was.
      case unchanged
      /// It is left out.
      case dropped
      /// Another one comes back.
      case replaced(String)
    }

    /// The answer to a refresh token that is used a second time.
    public enum RefreshTokenReuse: Sendable, Hashable {
      /// It is refused, and every token of the grant ends (RFC 9700 section 4.14.2).
      case revokesGrant
      /// It is refused; the token that replaced it stays good.
      case refused
      /// It works again, as with some Azure AD B2C native apps.
      case allowed
    }

    /// How a provider that is not Microsoft's answers to a refresh token that no longer works.
    public enum DeadRefreshToken: Sendable, Hashable {
      /// 400 with `invalid_grant`, as RFC 6749 section 5.2 has it.
      case invalidGrant
      /// 400 with `invalid_request`, as Glewlwyd does for a token it does not know.
      case invalidRequest
      /// This status and no body, as Glewlwyd does for a token that was disabled.
      case emptyBody(status: Int)
      /// 401 with `invalid_token`, a word of RFC 6750.
      case invalidToken
    }

    /// The key that signs id_tokens.
    public enum Signing: Sendable, Hashable {
      /// The published key.
      case published
      /// A key that is published nowhere, under the published key's id.
      case foreignKey
      /// The published key, under an id that is not published.
      case unknownKeyID
      /// No key: `alg` is `none`.
      case unsigned
      /// The published key, but one bit of the signature is changed.
      case damaged
    }

    /// The claim that names the policy.
    public enum PolicyClaim: String, Sendable, Hashable {
      /// `tfp`, in the portal's case.
      case tfp
      /// `acr`, in lower case, as old policies give it.
      case acr
      /// None.
      case absent
    }

    /// Whether PKCE with S256 is demanded and checked.
    public var enforcesPKCE = true
    /// The treatment of `state` in the redirect.
    public var state = Echo.unchanged
    /// The treatment of `nonce` in the id_token.
    public var nonce = Echo.unchanged
    /// The treatment of `iss` in the redirect (RFC 9207); Azure AD B2C and Entra ID never send it.
    public var callbackIssuer = Echo.unchanged
    /// The key that signs id_tokens.
    public var idTokenSigning = Signing.published
    /// The claim that names the policy.
    public var policyClaim = PolicyClaim.tfp
    /// Whether each refresh returns a new refresh token.
    public var rotatesRefreshTokens = true
    /// The answer to a refresh token that is used a second time.
    public var refreshTokenReuse = RefreshTokenReuse.revokesGrant
    /// How a refresh token that no longer works is refused; Microsoft's shapes keep their codes.
    public var deadRefreshToken = DeadRefreshToken.invalidGrant
    /// Whether `offline_access` is published and granted; otherwise asking for it is `invalid_scope`.
    public var offersOfflineAccess = true
    /// Whether a token answer names its scopes; RFC 6749 section 5.1 lets a server leave out those that were asked for.
    public var statesScope = true
    /// Whether the answer to a code has an id_token; a provider without one is no OpenID Connect provider.
    public var sendsIDToken = true
    /// Whether metadata names a userinfo endpoint.
    public var offersUserInfo = true
    /// Whether a refresh returns an id_token when `openid` is among its scopes.
    public var refreshesIDToken = true
    /// Whether the token answer's numbers come as texts.
    public var numbersAsStrings = false
    /// The `token_type` of answers.
    public var tokenType = "Bearer"
    /// The seconds after which the server wants an access token renewed (`refresh_in`), if any.
    public var refreshIn: Int?
    /// The scopes that are granted of those that were asked for; all of them for `nil`.
    public var grantedScopes: (@Sendable ([String]) -> [String])?
    /// Changes the fields of a token answer.
    public var changeTokenAnswer: (@Sendable (inout [String: JSONValue]) -> Void)?
    /// Changes the claims of an id_token before it is signed.
    public var changeIDTokenClaims: (@Sendable (inout [String: JSONValue]) -> Void)?
    /// Changes the header of an id_token before it is signed.
    public var changeIDTokenHeader: (@Sendable (inout [String: JSONValue]) -> Void)?
    /// Changes the claims of an access token before it is signed.
    public var changeAccessTokenClaims: (@Sendable (inout [String: JSONValue]) -> Void)?
    /// Changes the fields of a userinfo answer.
    public var changeUserInfo: (@Sendable (inout [String: JSONValue]) -> Void)?
    /// Changes the fields of the metadata document.
    public var changeMetadata: (@Sendable (inout [String: JSONValue]) -> Void)?
    /// Changes the list of published keys.
    public var changeKeys: (@Sendable (inout [[String: JSONValue]]) -> Void)?

    /// Makes the sound behaviour.
    public init() {}
  }
}
