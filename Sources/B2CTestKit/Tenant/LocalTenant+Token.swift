internal import B2CCore
internal import B2CHTTP
internal import B2COAuth
internal import Foundation

/// The token endpoint (RFC 6749 section 3.2).
extension LocalTenant {
  func token(_ call: LocalTenantCall) -> LocalResponse {
    state.withLock { $0.counters.tokenRequests += 1 }
    return jsonAnswer(call) {
      try checkClient(call.form)
      guard !call.hasClientSecret else { throw LocalRefusal.clientSecret }
      switch call.form["grant_type"] {
      case "authorization_code": return try redeemCode(call)
      case "refresh_token": return try refresh(call)
      case Self.deviceGrant where shape != .b2c: return try redeemDeviceCode(call)
      default: throw LocalRefusal.malformed("an unknown grant_type", error: "unsupported_grant_type")
      }
    }
  }

  private func redeemCode(_ call: LocalTenantCall) throws -> [String: JSONValue] {
    guard let code = call.form["code"] else { throw LocalRefusal.malformed("no code") }
    let grant: LocalGrant = try state.withLock { state in
      guard let issued = state.codes[Secret(code)] else { throw LocalRefusal.unknownGrant }
      guard !issued.isSpent else {
        // A code that is used twice may be stolen, so the tokens it was redeemed for end (RFC 6749 section 4.1.2).
        state.revokedGrants.insert(issued.grant.id)
        throw LocalRefusal.grantRevoked
      }
      guard issued.grant.policyID == call.policy?.id else { throw LocalRefusal.unknownGrant }
      state.codes[Secret(code)]?.isSpent = true
      guard call.now <= issued.expiresAt else { throw LocalRefusal.grantExpired }
      return issued.grant
    }
    guard call.form["redirect_uri"] == grant.request["redirect_uri"] else { throw LocalRefusal.unknownGrant }
    guard let verifier = call.form["code_verifier"], PKCE.isWellFormed(verifier) else {
      throw LocalRefusal.malformed("no code_verifier")
    }
    guard PKCE.challenge(of: Secret(verifier)) == grant.request["code_challenge"] else {
      throw LocalRefusal.verifierMismatch
    }
    return try tokenAnswer(grant, call)
  }

  private func refresh(_ call: LocalTenantCall) throws -> [String: JSONValue] {
    guard let token = call.form["refresh_token"] else { throw LocalRefusal.malformed("no refresh_token") }
    state.withLock { $0.counters.refreshRequests += 1 }
    // Check the scopes first, so that a request with wrong scopes does not use up the refresh token.
    _ = try classify(LocalTenantCall.scopes(call.form))
    // Checked and marked as used under one lock, so that only one of two simultaneous requests succeeds.
    let grant: LocalGrant = try state.withLock { state in
      // A tenant that was restarted does not know its earlier tokens. This answer ends the app's session, so the user
      // can sign in again.
      guard let issued = state.refreshTokens[Secret(token)] else { throw LocalRefusal.grantRevoked }
      guard issued.grant.policyID == call.policy?.id else { throw LocalRefusal.unknownGrant }
      guard state.user(id: issued.grant.userID) != nil, !state.revokedGrants.contains(issued.grant.id) else {
        throw LocalRefusal.grantRevoked
      }
      guard call.now < issued.expiresAt else { throw LocalRefusal.grantExpired }
      if issued.isSpent {
        state.counters.reusedRefreshTokens += 1
        let reuse = state.behavior.refreshTokenReuse
        if reuse == .revokesGrant { state.revokedGrants.insert(issued.grant.id) }
        guard reuse == .allowed else { throw LocalRefusal.grantRevoked }
      }
      if state.behavior.rotatesRefreshTokens { state.refreshTokens[Secret(token)]?.isSpent = true }
      return issued.grant
    }
    let answer = try tokenAnswer(grant, call)
    state.withLock { $0.counters.refreshes += 1 }
    return answer
  }

  /// Revokes the grant of a refresh token (RFC 7009), and ignores an unknown token (section 2.2).
  func revoke(_ call: LocalTenantCall) -> LocalResponse {
    state.withLock { state in
      if let issued = state.refreshTokens[Secret(call.form["token"] ?? "")], (try? checkClient(call.form)) != nil {
        state.revokedGrants.insert(issued.grant.id)
      }
    }
    return LocalResponse(status: 200)
  }
}

/// The token response, with the fields that the imitated provider sends.
extension LocalTenant {
  /// Issues the tokens of a grant for the request's scopes, or for all scopes of the grant if the request names none.
  func tokenAnswer(_ grant: LocalGrant, _ call: LocalTenantCall) throws -> [String: JSONValue] {
    let behavior = behavior
    let asked = call.form["scope"] == nil ? grant.scopes : LocalTenantCall.scopes(call.form)
    let scopes = try classify(behavior.grantedScopes?(asked) ?? asked)
    guard let user = user(id: grant.userID) else { throw LocalRefusal.grantRevoked }
    let (isB2C, lifetime) = (shape == .b2c, JSONValue.integer(accessTokenLifetime.components.seconds))
    let accessToken = try scopes.audience.map { try signedAccessToken(grant, of: user, scopes, audience: $0, call) }
    let idToken = scopes.wantsIDToken ? try signedIDToken(grant, of: user, accessToken: accessToken, call) : nil
    let end = accessToken == nil ? nil : call.now.epoch + accessTokenLifetime.components.seconds
    let clientInfo = ["uid": user.id + (grant.policyID.map { "-" + $0.lowercased() } ?? ""), "utid": tenantID]
    let fields: [String: JSONValue?] = [
      "token_type": "Bearer", "scope": .string(shownScope(scopes)),
      "not_before": isB2C ? .integer(call.now.epoch) : nil,
      "access_token": accessToken.map(JSONValue.string), "expires_in": accessToken == nil ? nil : lifetime,
      "expires_on": isB2C ? end.map(JSONValue.integer) : nil,
      "id_token": idToken.map(JSONValue.string), "id_token_expires_in": isB2C && idToken != nil ? lifetime : nil,
      "client_info": call.form["client_info"] == "1" ? .string(Base64URL.encode(LocalJSON.data(clientInfo))) : nil,
    ]
    var answer = fields.compactMapValues(\.self)
    let keepsRefreshToken = call.isRefresh && !behavior.rotatesRefreshTokens
    if !keepsRefreshToken, scopes.wantsRefreshToken || (call.isRefresh && grant.scopes.contains("offline_access")) {
      let token = RandomText.make()
      let lifetime = refreshTokenLifetime.components.seconds
      let end = call.now.addingTimeInterval(Double(lifetime))
      state.withLock { $0.refreshTokens[Secret(token)] = IssuedGrant(grant: grant, expiresAt: end) }
      answer["refresh_token"] = .string(token)
      if shape == .b2c { answer["refresh_token_expires_in"] = .integer(lifetime) }
    }
    behavior.changeTokenAnswer?(&answer)
    return answer
  }

  private func shownScope(_ scopes: LocalScopes) -> String {
    let shown =
      switch shape {
      case .b2c where !scopes.resourceScopes.isEmpty:
        scopes.resourceScopes + (scopes.wantsRefreshToken ? ["offline_access"] : [])
      case .entra, .ciam: scopes.all.filter { $0.lowercased() != "offline_access" }
      case .b2c, .openIDConnect: scopes.all
      }
    return shown.joined(separator: " ")
  }
}

/// The tokens that a set of scopes requests.
struct LocalScopes: Sendable {
  var wantsIDToken: Bool { all.contains { $0.lowercased() == "openid" } }
  var wantsRefreshToken: Bool { all.contains { $0.lowercased() == "offline_access" } }
  /// The scopes of the API, as they were written.
  var resourceScopes: [String] = []
  /// The client ID of the API, which becomes the audience of the access token.
  var audience: String?
  /// All scopes that the tenant understood, as they were written.
  var all: [String] = []
}

extension LocalTenant {
  /// The client ID of Microsoft Graph, which is the audience of its tokens.
  private static let graphClientID = "00000003-0000-0000-c000-000000000000"

  /// Sorts scopes by what they request.
  ///
  /// Scopes of two APIs are refused, because one token cannot be for both, unless no token is issued yet.
  func classify(_ scopes: [String], allowsSeveralAPIs: Bool = false) throws -> LocalScopes {
    var result = LocalScopes()
    for scope in scopes {
      switch scope.lowercased() {
      case "offline_access" where !behavior.offersOfflineAccess: throw LocalRefusal.unsupportedScope(scope)
      case "openid", "offline_access", "profile", "email": break
      default:
        guard let audience = audience(of: scope) else {
          // A provider should ignore scopes it does not understand (OpenID Connect Core section 3.1.2.1).
          if shape == .openIDConnect { continue }
          throw LocalRefusal.unsupportedScope(scope)
        }
        if let other = result.audience, other != audience, !allowsSeveralAPIs {
          throw LocalRefusal.unsupportedScope(scopes.joined(separator: " "))
        }
        result.audience = audience
        result.resourceScopes.append(scope)
      }
      result.all.append(scope)
    }
    // Azure AD B2C issues no access token without a scope of an API. The others issue one for Graph or for the API.
    if shape != .b2c { result.audience = result.audience ?? (isEntra ? Self.graphClientID : apiClientID) }
    return result
  }

  private func audience(of scope: String) -> String? {
    let scope = scope.lowercased()
    let known = apiScopes.map { $0.lowercased() }
    if known.contains(scope) { return apiClientID }
    if scope == clientID.lowercased() { return clientID }
    guard isEntra else { return nil }
    if scope.hasPrefix("https://graph.microsoft.com/") || !scope.contains("/") { return Self.graphClientID }
    let resource = scope.dropLast("/.default".count)
    return scope.hasSuffix("/.default") && known.contains { $0.hasPrefix(resource + "/") } ? apiClientID : nil
  }
}
