internal import B2CCore
internal import B2CIDToken
internal import B2CTokenCache
internal import Foundation

/// The id_token of a refresh, compared with the record.
///
/// It came from the token endpoint over TLS, so that neither keys nor metadata are needed (OpenID Connect Core sections
/// 3.1.3.7 rule 6 and 12.2); at a sign-in everything is verified, the signature too.
struct RefreshedIdentity: Sendable {
  /// How far two times of one sign-in may be apart, in seconds.
  private static let tolerance = 300.0

  let clientID: String
  let now: Date
  let skew: TimeInterval

  /// Returns the claims to take over, `nil` to keep those of the record.
  ///
  /// - Throws: ``ConnectorError`` with code `interactionRequired` when it names another person, issuer or client: the whole
  ///   answer is refused then.
  func claims(_ idToken: Secret?, of record: TokenRecord) throws -> [String: JSONValue]? {
    guard let idToken, let new = try? IDToken(compact: idToken).unverifiedClaims() else { return nil }
    if let named = other(new, record.claims) {
      var error = ConnectorError(
        own: .interactionRequired, "The id_token of the refresh names \(named).", recoverySuggestion: "Sign in again.")
      error.endsSession = true
      throw error
    }
    return isOfSignIn(new, record.claims) ? new : nil
  }

  private func other(_ new: [String: JSONValue], _ old: [String: JSONValue]) -> String? {
    func differs(_ name: String) -> Bool {
      guard let before = old[name]?.string, let after = new[name]?.string else { return false }
      return !ASCIIText.isSame(before, after)
    }
    let isSubject = { (value: JSONValue?) in value?.string.map { $0 != IDTokenClaims.subjectPlaceholder } ?? false }
    let audience = self.audience(new)
    if isSubject(old["sub"]), isSubject(new["sub"]), differs("sub") { return "another user than the sign-in" }
    if differs("oid") || differs("tid") { return "another user than the sign-in" }
    if differs("iss") { return "another issuer than the sign-in" }
    if let audience, !audience.contains(where: { ASCIIText.isSame($0, clientID) }) {
      return "another client than this app"
    }
    if let party = new["azp"]?.string, !ASCIIText.isSame(party, clientID) { return "another client than this app" }
    return nil
  }

  private func audience(_ claims: [String: JSONValue]) -> [String]? {
    claims["aud"]?.array?.compactMap(\.string) ?? claims["aud"]?.string.map { [$0] }
  }

  /// Whether its claims are those of the same sign-in, no older than the record's, and not expired.
  private func isOfSignIn(_ new: [String: JSONValue], _ old: [String: JSONValue]) -> Bool {
    guard new["iss"]?.string != nil, new["sub"]?.string != nil, audience(new) != nil, let end = new["exp"]?.double,
      Date(timeIntervalSince1970: end).addingTimeInterval(skew) > now
    else { return false }
    if let nonce = new["nonce"], let before = old["nonce"], nonce != before { return false }
    if let time = new["auth_time"]?.double, let before = old["auth_time"]?.double, abs(time - before) > Self.tolerance {
      return false
    }
    guard let issued = new["iat"]?.double, let before = old["iat"]?.double else { return true }
    return issued >= before - Self.tolerance
  }
}
