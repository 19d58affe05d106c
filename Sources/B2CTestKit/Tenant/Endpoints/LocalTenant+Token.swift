internal import B2CCore
internal import B2CHTTP
internal import Foundation

/// The token endpoint (RFC 6749 section 3.2).
extension LocalTenant {
  func token(_ call: LocalTenantCall) -> TransportResponse {
    state.withLock { $0.counters.tokenRequests += 1 }
    do {
      return json(try grantTokens(call), call)
    } catch let refusal as LocalRefusal {
      return deadRefreshToken(refusal, call) ?? jsonAnswer(refusal, call)
    } catch {
      return jsonAnswer(.noSigningKey, call)
    }
  }

  /// The odd answer of a provider to a refresh token that does not work, if it is to give one.
  private func deadRefreshToken(_ refusal: LocalRefusal, _ call: LocalTenantCall) -> TransportResponse? {
    guard shape == .openIDConnect, refusal.error == "invalid_grant", call.form["grant_type"] == "refresh_token" else {
      return nil
    }
    switch behavior.deadRefreshToken {
    case .invalidGrant: return nil
    case .invalidRequest: return json(["error": .string("invalid_request")], call, status: 400)
    case .emptyBody(let status): return TransportResponse(status: status)
    case .invalidToken: return json(["error": .string("invalid_token")], call, status: 401)
    }
  }

  private func grantTokens(_ call: LocalTenantCall) throws -> [String: JSONValue] {
    guard let client = call.form["client_id"], !client.isEmpty else { throw LocalRefusal.missingClient }
    guard client.lowercased() == clientID.lowercased() else { throw LocalRefusal.unknownClient(client) }
    guard call.form["client_secret"] == nil else { throw LocalRefusal.secretSent }
    switch call.form["grant_type"] {
    case "authorization_code": return try redeemCode(call)
    case "refresh_token": return try refresh(call)
    case "urn:ietf:params:oauth:grant-type:device_code" where shape != .b2c: return try redeemDeviceCode(call)
    case let other: throw LocalRefusal.grantType(other ?? "")
    }
  }

  private func redeemCode(_ call: LocalTenantCall) throws -> [String: JSONValue] {
    guard let code = call.form["code"] else { throw LocalRefusal.missingParameter("code") }
    let issued: IssuedCode = try state.withLock { state in
      state.counters.codeRequests += 1
      guard let issued = state.codes[code] else { throw LocalRefusal.unknownGrant }
      guard !issued.isSpent else {
        // RFC 6749 section 4.1.2: a code used twice ends the tokens it gave.
        state.revokedGrants.insert(issued.grant.id)
        throw LocalRefusal.codeSpent
      }
      try checkPolicy(issued.grant, call)
      state.codes[code]?.isSpent = true
      return issued
    }
    guard call.now.timeIntervalSince(issued.issuedAt) <= Self.codeLifetime else { throw LocalRefusal.codeExpired }
    guard issued.grant.clientID.lowercased() == call.form["client_id"]?.lowercased() else {
      throw LocalRefusal.otherClient
    }
    guard call.form["redirect_uri"] == issued.request.redirectURI else { throw LocalRefusal.otherRedirectURI }
    if behavior.enforcesPKCE { try checkVerifier(call.form["code_verifier"], issued.request.codeChallenge) }
    let asked = call.form["scope"].map { $0.split(separator: " ").map(String.init) } ?? issued.grant.scopes
    return try tokenAnswer(
      issued.grant, scopes: asked, nonce: issued.request.nonce, isRefresh: false,
      wantsClientInfo: issued.request.wantsClientInfo || call.form["client_info"] == "1", call)
  }

  /// Codes live ten minutes.
  private static let codeLifetime: TimeInterval = 600

  private func checkVerifier(_ verifier: String?, _ challenge: String?) throws {
    guard let verifier, PKCE.isWellFormed(verifier) else { throw LocalRefusal.malformedVerifier }
    guard PKCE.challenge(for: verifier) == challenge else { throw LocalRefusal.verifierMismatch }
  }

  private func checkPolicy(_ grant: LocalGrant, _ call: LocalTenantCall) throws {
    guard grant.policyID?.lowercased() == call.policy?.id.lowercased() else {
      throw LocalRefusal.otherPolicy(actual: grant.policyID ?? "", expected: call.policy?.id ?? "")
    }
  }

  private func refresh(_ call: LocalTenantCall) throws -> [String: JSONValue] {
    guard let token = call.form["refresh_token"] else { throw LocalRefusal.missingParameter("refresh_token") }
    let asked = call.form["scope"].map { $0.split(separator: " ").map(String.init) }
    state.withLock { $0.counters.refreshRequests += 1 }
    // A request that fails for its scopes does not spend the token.
    if let asked { _ = try classify(asked) }
    // Checked and spent in one step: of two at the same time one is the second.
    let issued: IssuedRefreshToken = try state.withLock { state in
      guard let issued = state.refreshTokens[token] else { throw LocalRefusal.unknownGrant }
      guard issued.grant.clientID.lowercased() == call.form["client_id"]?.lowercased() else {
        throw LocalRefusal.otherClient
      }
      try checkPolicy(issued.grant, call)
      guard state.user(id: issued.grant.userID) != nil else { throw LocalRefusal.accountDeleted }
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
    let answer = try tokenAnswer(
      issued.grant, scopes: asked ?? issued.grant.scopes, nonce: nil, isRefresh: true,
      wantsClientInfo: call.form["client_info"] == "1", call)
    state.withLock { $0.counters.refreshes += 1 }
    return answer
  }
}
