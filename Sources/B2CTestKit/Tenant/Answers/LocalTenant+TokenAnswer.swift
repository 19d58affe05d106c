internal import B2CCore
internal import Foundation

/// The token answer, member by member as the service gives it.
extension LocalTenant {
  /// Makes the tokens of a grant.
  func tokenAnswer(
    _ grant: LocalGrant, scopes asked: [String], nonce: String?, isRefresh: Bool, wantsClientInfo: Bool,
    _ call: LocalTenantCall
  ) throws -> [String: JSONValue] {
    let behavior = behavior
    let scopes = try classify(behavior.grantedScopes?(asked) ?? asked)
    guard let user = state.withLock({ $0.user(id: grant.userID) }) else { throw LocalRefusal.accountDeleted }
    let subject = LocalTokenSubject(user: user, grant: grant, nonce: nonce, isRefresh: isRefresh)
    let lifetime = accessTokenLifetime.components.seconds
    let issuedAt = LocalDates.epoch(call.now)
    var answer: [String: JSONValue] = ["token_type": .string(behavior.tokenType)]
    func number(_ value: Int64) -> JSONValue {
      behavior.numbersAsStrings ? .string(String(value)) : .integer(value)
    }

    var accessToken: String?
    if let audience = scopes.audience {
      let token = try signedAccessToken(subject, scopes, audience: audience, behavior, call)
      accessToken = token
      answer["access_token"] = .string(token)
      answer["expires_in"] = number(lifetime)
      if shape == .b2c {
        answer["expires_on"] = number(issuedAt + lifetime)
        answer["resource"] = .string(audience)
      }
      if shape == .entra || shape == .ciam { answer["ext_expires_in"] = number(lifetime) }
      if let refreshIn = behavior.refreshIn { answer["refresh_in"] = number(Int64(refreshIn)) }
    }
    if scopes.wantsIDToken, isRefresh ? behavior.refreshesIDToken : behavior.sendsIDToken {
      answer["id_token"] = .string(try signedIDToken(subject, accessToken: accessToken, behavior, call))
      if shape == .b2c { answer["id_token_expires_in"] = number(lifetime) }
    }
    if shape == .b2c {
      answer["not_before"] = number(issuedAt)
      answer["profile_info"] = .string(Base64URL.encode(LocalJSON.data(profileInfo(subject))))
    }
    if behavior.statesScope { answer["scope"] = .string(shownScope(scopes)) }
    if wantsClientInfo { answer["client_info"] = .string(Base64URL.encode(LocalJSON.data(clientInfo(subject)))) }
    let keepsRefreshToken = isRefresh && !behavior.rotatesRefreshTokens
    if !keepsRefreshToken, scopes.wantsRefreshToken || (isRefresh && grant.scopes.contains("offline_access")) {
      answer["refresh_token"] = .string(newRefreshToken(grant, call))
      if shape == .b2c { answer["refresh_token_expires_in"] = number(refreshTokenLifetime.components.seconds) }
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

  private func profileInfo(_ subject: LocalTokenSubject) -> [String: JSONValue] {
    var members: [String: JSONValue] = [
      "ver": .string("1.0"), "tid": .string(tenantID), "sub": .string(subject.user.id),
      "oid": .string(subject.user.id), "name": .string(subject.user.displayName),
      "preferred_username": .string(subject.user.email),
    ]
    members["idp"] = subject.user.identityProvider.map(JSONValue.string) ?? .null
    members["tfp"] = subject.grant.policyID.map(JSONValue.string)
    return members
  }

  private func clientInfo(_ subject: LocalTokenSubject) -> [String: JSONValue] {
    let policy = subject.grant.policyID.map { "-" + $0.lowercased() } ?? ""
    return ["uid": .string(subject.user.id + policy), "utid": .string(tenantID)]
  }
}
