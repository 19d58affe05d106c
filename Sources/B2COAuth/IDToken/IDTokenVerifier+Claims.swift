import B2CCore
import Foundation

extension IDTokenVerifier {
  /// Rules 2 to 5: `iss`, `aud`, `azp`.
  func checkOrigin(_ claims: IDTokenClaims, _ expectations: IDTokenExpectations) throws(IDTokenRejection) {
    guard expectations.issuer.accepts(claims.issuer, tenantID: claims.tenantID) else {
      throw IDTokenRejection(.issuer, "its iss \(IDTokenRejection.quote(claims.issuer)) is another issuer")
    }
    guard claims.audience.contains(where: { ASCIIText.isSame($0, expectations.clientID) }) else {
      throw IDTokenRejection(.audience, "its aud is another client")
    }
    if let authorizedParty = claims.all["azp"] {
      guard let text = authorizedParty.string, ASCIIText.isSame(text, expectations.clientID) else {
        throw IDTokenRejection(.authorizedParty, "its azp is another client")
      }
    } else if claims.audience.count > 1 {
      throw IDTokenRejection(.authorizedParty, "it has several aud and no azp")
    }
  }

  /// Rules 9, 10 and 13: `exp`, `nbf`, `iat`, `auth_time`.
  func checkTimes(_ claims: IDTokenClaims, _ expectations: IDTokenExpectations) throws(IDTokenRejection) {
    let now = expectations.now
    let skew = expectations.skew / .seconds(1)
    guard now < claims.expiration.addingTimeInterval(skew) else {
      throw IDTokenRejection(.expired, "it ended \(Self.seconds(from: claims.expiration, to: now)) ago")
    }
    if let notBefore = claims.notBefore, notBefore > now.addingTimeInterval(skew) {
      throw IDTokenRejection(.notYetValid, "it begins in \(Self.seconds(from: now, to: notBefore))")
    }
    guard claims.issuedAt <= now.addingTimeInterval(skew) else {
      throw IDTokenRejection(.issuedInFuture, "it is issued in \(Self.seconds(from: now, to: claims.issuedAt))")
    }
    guard let maximumAge = expectations.maximumAge else { return }
    guard let authenticationTime = claims.authenticationTime else {
      throw IDTokenRejection(.authenticationTime, "it does not say when the user signed in")
    }
    guard now.timeIntervalSince(authenticationTime) <= maximumAge / .seconds(1) + skew else {
      throw IDTokenRejection(.authenticationTime, "the user signed in longer ago than max_age")
    }
  }

  /// Rules 11 and 12: `nonce`, and the policy as the context that was asked for.
  func checkRequest(_ claims: IDTokenClaims, _ expectations: IDTokenExpectations) throws(IDTokenRejection) {
    if let nonce = expectations.nonce {
      guard let value = claims.nonce else { throw IDTokenRejection(.nonce, "it has no nonce") }
      guard Secret(value).isEqualInConstantTime(to: nonce) else {
        throw IDTokenRejection(.nonce, "its nonce is not the one sent")
      }
    }
    guard let policy = expectations.policy else { return }
    guard let value = claims.all["tfp"] ?? claims.all["acr"] else {
      throw IDTokenRejection(.policy, "it names no policy")
    }
    guard let text = value.string, ASCIIText.isSameIgnoringCase(text, policy) else {
      throw IDTokenRejection(.policy, "it is of another policy than \(IDTokenRejection.quote(policy))")
    }
  }

  /// Core 3.1.3.8 and 3.3.2.11: hashes need not be there, but may not be wrong.
  func checkHashes(
    _ claims: IDTokenClaims, _ expectations: IDTokenExpectations, hash: HashAlgorithm
  ) throws(IDTokenRejection) {
    if let token = expectations.accessToken, let value = claims.all["at_hash"] {
      guard value.string == hash.leftHalf(of: token) else {
        throw IDTokenRejection(.accessTokenHash, "its at_hash is not that of the access token")
      }
    }
    if let code = expectations.code, let value = claims.all["c_hash"] {
      guard value.string == hash.leftHalf(of: code) else {
        throw IDTokenRejection(.codeHash, "its c_hash is not that of the code")
      }
    }
  }

  /// Core 12.2: a refresh changes no identity.
  func checkContinuity(_ claims: IDTokenClaims, _ expectations: IDTokenExpectations) throws(IDTokenRejection) {
    guard let previous = expectations.previous else { return }
    if let issuer = previous.issuer, !ASCIIText.isSame(issuer, claims.issuer) {
      throw IDTokenRejection(.identityChanged, "its iss is another than at the sign-in")
    }
    if let subject = previous.subject, !ASCIIText.isSame(subject, claims.subject) {
      throw IDTokenRejection(.identityChanged, "its sub is another than at the sign-in")
    }
    if let audience = previous.audience, Set(audience) != Set(claims.audience) {
      throw IDTokenRejection(.identityChanged, "its aud is another than at the sign-in")
    }
    if let before = previous.authenticationTime, let after = claims.authenticationTime,
      abs(after.timeIntervalSince(before)) > expectations.skew / .seconds(1)
    {
      throw IDTokenRejection(.authenticationTime, "its auth_time is another than at the sign-in")
    }
    if let before = previous.nonce, let after = claims.nonce, !Secret(after).isEqualInConstantTime(to: before) {
      throw IDTokenRejection(.nonce, "its nonce is another than at the sign-in")
    }
  }

  private static func seconds(from start: Date, to end: Date) -> String {
    let seconds = Int(end.timeIntervalSince(start).rounded(.up))
    return seconds == 1 ? "1 second" : "\(seconds) seconds"
  }
}
