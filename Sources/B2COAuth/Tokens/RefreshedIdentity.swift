internal import B2CCore
internal import B2CIDToken
internal import B2CTokenCache
internal import Foundation

/// The comparison of the id_token of a refresh with the record.
///
/// The token arrived over TLS from the token endpoint, so its signature is not checked, and neither keys nor metadata
/// are needed (OpenID Connect Core sections 3.1.3.7 rule 6 and 12.2). At a sign-in everything is verified, including
/// the signature.
struct RefreshedIdentity: Sendable {
  /// The largest difference between two times of the same sign-in, in seconds.
  private static let tolerance = 300.0
  /// The longest lifetime that an id_token may have, in seconds: one year.
  private static let longestLife = 365 * 86_400.0

  let client: SessionStore.Client
  let session: SessionStore.Session
  let route: TokenRoute
  let now: Date
  let skew: TimeInterval

  /// Returns the claims to store, or `nil` if the record keeps its own.
  ///
  /// - Throws: ``ConnectorError`` with code `interactionRequired` if the token names another user, issuer or client.
  ///   Then the whole response is refused, and the session ends.
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
    // If neither claim can be compared, the claims may be another user's, so the record keeps its own.
    let isComparable = ["sub", "oid"].contains { before[$0] != nil && after[$0] != nil }
    return isComparable && isOfSignIn(new, after, old) ? new : nil
  }

  private func other(_ new: [String: JSONValue], _ before: [String: String], _ after: [String: String]) -> String? {
    func differs(_ name: String) -> Bool {
      if let before = before[name], let after = after[name] { !ASCIIText.isSame(before, after) } else { false }
    }
    if differs("sub") || differs("oid") || differs("tid") { return "another user than the sign-in" }
    // Lay the new claims over the record's, so that a claim that only one of them has is compared too.
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

  /// Whether the token belongs to the same sign-in, is no older than the record's claims and has not expired.
  ///
  /// Claims from the future are not accepted. With them in the record, every later token would count as older, and a
  /// role that the provider takes away would never disappear.
  private func isOfSignIn(_ new: [String: JSONValue], _ named: [String: String], _ old: [String: JSONValue]) -> Bool {
    let latest = now.addingTimeInterval(skew)
    guard named["iss"] != nil, named["sub"] != nil || IDTokenClaims.hasPlaceholder(new),
      IDTokenClaims.audience(in: new) != nil,
      let end = new["exp"].flatMap(NumericDate.date), end.addingTimeInterval(skew) > now
    else { return false }
    // A token without `iat` counts as issued now. If `iat` is not a time, the claims are not accepted.
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
