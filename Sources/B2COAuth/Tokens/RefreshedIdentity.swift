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
  /// The longest life of an id_token, in seconds: a year.
  private static let longestLife = 365 * 86_400.0

  let client: SessionStore.Client
  let session: SessionStore.Session
  let route: TokenRoute
  let now: Date
  let skew: TimeInterval

  /// Returns the claims to take over, `nil` to keep those of the record.
  ///
  /// - Throws: ``ConnectorError`` with code `interactionRequired` if it names another user, issuer or client: the whole
  ///   answer is refused then.
  func claims(_ idToken: Secret?) throws -> [String: JSONValue]? {
    guard let idToken, let new = try? IDToken(compact: idToken).unverifiedClaims() else { return nil }
    let old = session.record.claims
    let (before, after) = (IDTokenClaims.identifiers(in: old), IDTokenClaims.identifiers(in: new))
    if let named = other(new, before, after) {
      var error = ConnectorError(
        own: .interactionRequired, "The id_token of the refresh names \(named).", recoverySuggestion: "Sign in again.")
      error.endsSession = true
      throw error
    }
    // Otherwise they may be those of another user.
    let isComparable = ["sub", "oid"].contains { before[$0] != nil && after[$0] != nil }
    return isComparable && isOfSignIn(new, after, old) ? new : nil
  }

  private func other(_ new: [String: JSONValue], _ before: [String: String], _ after: [String: String]) -> String? {
    func differs(_ name: String) -> Bool {
      if let before = before[name], let after = after[name] { !ASCIIText.isSame(before, after) } else { false }
    }
    if differs("sub") || differs("oid") || differs("tid") { return "another user than the sign-in" }
    // The new ones over the record's, so that a claim which only one of them has counts too.
    let all = before.merging(after) { $1 }
    let expected = before["iss"].map(IssuerExpectation.exact) ?? route.issuer.map(IssuerExpectation.init(published:))
    if let issuer = after["iss"], expected?.accepts(issuer, tenantID: all["tid"]) == false {
      return "another issuer than the sign-in"
    }
    let userID = UserIdentity.userID(
      all.mapValues(JSONValue.string), issuer: all["iss"] ?? route.issuer ?? "", isMicrosoft: client.isMicrosoft)
    guard ASCIIText.isSame(userID, session.key.userID) else { return "another user than the sign-in" }
    let isClient = { (name: String) in ASCIIText.isSame(name, client.clientID) }
    let isForClient = IDTokenClaims.audience(in: new)?.contains(where: isClient) ?? true
    let isUsedByClient = new["azp"]?.string.map(isClient) ?? true
    return isForClient && isUsedByClient ? nil : "another client than this app"
  }

  /// Whether its claims are those of the same sign-in, no older than the record's, and not expired.
  ///
  /// If claims from the future were taken over, every later token would count as older, and a role that the server takes
  /// away would stay.
  private func isOfSignIn(_ new: [String: JSONValue], _ named: [String: String], _ old: [String: JSONValue]) -> Bool {
    let latest = now.addingTimeInterval(skew)
    guard named["iss"] != nil, named["sub"] != nil || IDTokenClaims.hasPlaceholder(new),
      IDTokenClaims.audience(in: new) != nil,
      let end = new["exp"].flatMap(NumericDate.date), end.addingTimeInterval(skew) > now
    else { return false }
    // A token without `iat` counts as new; one whose `iat` is no time does not count.
    guard let issued = new["iat"].map(NumericDate.date) ?? now, issued <= latest, end > issued,
      end.timeIntervalSince(issued) <= Self.longestLife
    else { return false }
    if let nonce = new["nonce"], let before = old["nonce"], nonce != before { return false }
    if let time = new["auth_time"].flatMap(NumericDate.date), let before = old["auth_time"].flatMap(NumericDate.date),
      abs(time.timeIntervalSince(before)) > Self.tolerance
    {
      return false
    }
    guard let before = old["iat"].flatMap(NumericDate.date), before <= latest else { return true }
    return issued.timeIntervalSince(before) >= -Self.tolerance
  }
}
