internal import B2CCore
internal import B2CHTTP
internal import B2COAuth
internal import Foundation

/// The token endpoint (RFC 6749 section 3.2).
extension LocalTenant {
  func token(_ call: LocalTenantCall) -> LocalResponse {
    state.withLock { $0.counters.tokenRequests += 1 }
    return jsonAnswer(call) { try grantTokens(call) }
  }

  private func grantTokens(_ call: LocalTenantCall) throws -> [String: JSONValue] {
    _ = try checkClientID(call.form)
    guard call.form["client_secret"] == nil else {
      throw LocalRefusal.malformed("a public client has no client_secret")
    }
    switch call.form["grant_type"] {
    case "authorization_code": return try redeemCode(call)
    case "refresh_token": return try refresh(call)
    case "urn:ietf:params:oauth:grant-type:device_code" where shape != .b2c: return try redeemDeviceCode(call)
    default: throw LocalRefusal.malformed("an unknown grant_type", error: "unsupported_grant_type")
    }
  }

  private func redeemCode(_ call: LocalTenantCall) throws -> [String: JSONValue] {
    guard let code = call.form["code"] else { throw LocalRefusal.malformed("no code") }
    let issued: IssuedCode = try state.withLock { state in
      state.counters.codeRequests += 1
      guard let issued = state.codes[code] else { throw LocalRefusal.unknownGrant }
      guard !issued.isSpent else {
        // RFC 6749 section 4.1.2: a code used twice ends the tokens it gave.
        state.revokedGrants.insert(issued.grant.id)
        throw LocalRefusal.grantRevoked
      }
      try checkPolicy(issued.grant, call)
      state.codes[code]?.isSpent = true
      return issued
    }
    guard call.now.timeIntervalSince(issued.issuedAt) <= Self.codeLifetime else { throw LocalRefusal.grantExpired }
    guard call.form["redirect_uri"] == issued.request.redirectURI else { throw LocalRefusal.unknownGrant }
    guard let verifier = call.form["code_verifier"], PKCE.isWellFormed(verifier) else {
      throw LocalRefusal.malformed("no code_verifier")
    }
    guard PKCE(verifier: Secret(verifier)).challenge == issued.request.codeChallenge else {
      throw LocalRefusal.verifierMismatch
    }
    let asked = call.form["scope"].map { $0.split(separator: " ").map(String.init) } ?? issued.grant.scopes
    return try tokenAnswer(issued.grant, scopes: asked, nonce: issued.request.nonce, isRefresh: false, call)
  }

  /// Codes live ten minutes.
  private static let codeLifetime: TimeInterval = 600

  private func checkPolicy(_ grant: LocalGrant, _ call: LocalTenantCall) throws {
    guard grant.policyID?.lowercased() == call.policy?.id.lowercased() else {
      throw LocalRefusal.unknownGrant
    }
  }

  private func refresh(_ call: LocalTenantCall) throws -> [String: JSONValue] {
    guard let token = call.form["refresh_token"] else { throw LocalRefusal.malformed("no refresh_token") }
    let asked = call.form["scope"].map { $0.split(separator: " ").map(String.init) }
    state.withLock { $0.counters.refreshRequests += 1 }
    // A request that fails for its scopes does not use the token.
    if let asked { _ = try classify(asked) }
    // Checked and marked as used in one step, so that only one of two simultaneous requests succeeds.
    let issued: IssuedRefreshToken = try state.withLock { state in
      guard let issued = state.refreshTokens[token] else { throw LocalRefusal.unknownGrant }
      try checkPolicy(issued.grant, call)
      guard state.user(id: issued.grant.userID) != nil else { throw LocalRefusal.grantRevoked }
      guard !state.revokedGrants.contains(issued.grant.id) else { throw LocalRefusal.grantRevoked }
      guard call.now < issued.expiresAt else { throw LocalRefusal.grantExpired }
      if issued.isSpent {
        state.counters.reusedRefreshTokens += 1
        switch state.behavior.refreshTokenReuse {
        case .allowed: break
        case .refused: throw LocalRefusal.grantRevoked
        case .revokesGrant:
          state.revokedGrants.insert(issued.grant.id)
          throw LocalRefusal.grantRevoked
        }
      }
      if state.behavior.rotatesRefreshTokens { state.refreshTokens[token]?.isSpent = true }
      return issued
    }
    let scopes = asked ?? issued.grant.scopes
    let answer = try tokenAnswer(issued.grant, scopes: scopes, nonce: nil, isRefresh: true, call)
    state.withLock { $0.counters.refreshes += 1 }
    return answer
  }
}

/// The revocation of refresh tokens (RFC 7009), in the shape of a generic issuer.
extension LocalTenant {
  /// Ends the grant of a refresh token; a token that is not known is no error (section 2.2).
  func revoke(_ call: LocalTenantCall) -> LocalResponse {
    state.withLock { state in
      if let token = call.form["token"], let issued = state.refreshTokens[token],
        issued.grant.clientID.lowercased() == call.form["client_id"]?.lowercased()
      {
        state.revokedGrants.insert(issued.grant.id)
      }
    }
    return LocalResponse(status: 200)
  }
}

/// The token answer, field by field as the service returns it.
extension LocalTenant {
  /// Makes the tokens of a grant.
  func tokenAnswer(
    _ grant: LocalGrant, scopes asked: [String], nonce: String?, isRefresh: Bool, _ call: LocalTenantCall
  ) throws -> [String: JSONValue] {
    let behavior = behavior
    let scopes = try classify(behavior.grantedScopes?(asked) ?? asked)
    guard let user = state.withLock({ $0.user(id: grant.userID) }) else { throw LocalRefusal.grantRevoked }
    let subject = LocalTokenSubject(user: user, grant: grant, nonce: nonce, isRefresh: isRefresh)
    let lifetime = accessTokenLifetime.components.seconds
    let issuedAt = LocalDates.epoch(call.now)
    var answer: [String: JSONValue] = ["token_type": "Bearer", "scope": .string(shownScope(scopes))]
    var accessToken: String?
    if shape == .b2c { answer["not_before"] = .integer(issuedAt) }
    if let audience = scopes.audience {
      let token = try signedAccessToken(subject, scopes, audience: audience, behavior, call)
      accessToken = token
      answer["access_token"] = .string(token)
      answer["expires_in"] = .integer(lifetime)
      if shape == .b2c { answer["expires_on"] = .integer(issuedAt + lifetime) }
    }
    if scopes.wantsIDToken {
      answer["id_token"] = .string(try signedIDToken(subject, accessToken: accessToken, behavior, call))
      if shape == .b2c { answer["id_token_expires_in"] = .integer(lifetime) }
    }
    if call.form["client_info"] == "1" { answer["client_info"] = clientInfo(subject) }
    let keepsRefreshToken = isRefresh && !behavior.rotatesRefreshTokens
    if !keepsRefreshToken, scopes.wantsRefreshToken || (isRefresh && grant.scopes.contains("offline_access")) {
      answer["refresh_token"] = .string(newRefreshToken(grant, call))
      if shape == .b2c { answer["refresh_token_expires_in"] = .integer(refreshTokenLifetime.components.seconds) }
    }
    behavior.changeTokenAnswer?(&answer)
    return answer
  }

  private func newRefreshToken(_ grant: LocalGrant, _ call: LocalTenantCall) -> String {
    let token = RandomText.make()
    let end = call.now.addingTimeInterval(Double(refreshTokenLifetime.components.seconds))
    state.withLock { $0.refreshTokens[token] = IssuedRefreshToken(grant: grant, issuedAt: call.now, expiresAt: end) }
    return token
  }

  private func shownScope(_ scopes: LocalScopes) -> String {
    switch shape {
    case .b2c:
      if scopes.resourceScopes.isEmpty { return scopes.all.joined(separator: " ") }
      return (scopes.resourceScopes + (scopes.wantsRefreshToken ? ["offline_access"] : [])).joined(separator: " ")
    case .entra, .ciam: return scopes.all.filter { $0.lowercased() != "offline_access" }.joined(separator: " ")
    case .openIDConnect: return scopes.all.joined(separator: " ")
    }
  }

  private func clientInfo(_ subject: LocalTokenSubject) -> JSONValue {
    let policy = subject.grant.policyID.map { "-" + $0.lowercased() } ?? ""
    let fields: [String: JSONValue] = ["uid": .string(subject.user.id + policy), "utid": .string(tenantID)]
    return .string(Base64URL.encode(LocalJSON.data(fields)))
  }
}

/// The tokens and resources that a set of scopes asks for.
struct LocalScopes: Sendable {
  var wantsIDToken = false
  var wantsRefreshToken = false
  /// The scopes of the one API, as they were written.
  var resourceScopes: [String] = []
  /// The client ID of the API they belong to: the audience of the access token.
  var audience: String?
  /// All that count, as they were written.
  var all: [String] = []
}

extension LocalTenant {
  /// The audience of Microsoft Graph.
  static let graphClientID = "00000003-0000-0000-c000-000000000000"

  /// Sorts scopes by what they ask for; more than one API in one request is refused, unless nothing is issued yet.
  func classify(_ scopes: [String], allowsSeveralAPIs: Bool = false) throws -> LocalScopes {
    var result = LocalScopes()
    for scope in scopes {
      switch scope.lowercased() {
      case "openid": result.wantsIDToken = true
      case "offline_access" where !behavior.offersOfflineAccess: throw LocalRefusal.unsupportedScope(scope)
      case "offline_access": result.wantsRefreshToken = true
      case "profile", "email": break
      default:
        guard let audience = audience(of: scope) else {
          // OpenID Connect Core section 3.1.2.1: scopes that are not understood should be ignored.
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
    if result.audience == nil {
      switch shape {
      case .b2c: break
      case .entra, .ciam: result.audience = Self.graphClientID
      case .openIDConnect: result.audience = apiClientID
      }
    }
    return result
  }

  private func audience(of scope: String) -> String? {
    let scope = scope.lowercased()
    let known = apiScopes.map { $0.lowercased() }
    if known.contains(scope) { return apiClientID }
    if scope == clientID.lowercased() { return clientID }
    guard shape == .entra || shape == .ciam else { return nil }
    if scope.hasPrefix("https://graph.microsoft.com/") || !scope.contains("/") { return Self.graphClientID }
    let resource = scope.dropLast("/.default".count)
    return scope.hasSuffix("/.default") && known.contains { $0.hasPrefix(resource + "/") } ? apiClientID : nil
  }
}
