package import B2CCore
package import Foundation

/// A successful response of the token endpoint (RFC 6749 section 5.1), with the deviations of real servers.
package struct TokenResponse: Sendable {
  /// The access token, or `nil` if the response has none that can be used.
  package let accessToken: Secret?
  /// The error of an access token that cannot be used, because it is not visible ASCII text or not of type Bearer.
  package let unusableAccessToken: ConnectorError?
  /// The id_token, which is not yet checked.
  package let idToken: Secret?
  let refreshToken: Secret?
  /// The granted scopes, or `nil` if the server left them out, which means that it granted the requested ones.
  let scopes: [String]?
  /// The lifetime of the access token, in seconds.
  package let lifetime: TimeInterval
  let refreshIn: TimeInterval?
  let refreshTokenLifetime: TimeInterval?

  /// Reads the body of a response with status 200.
  ///
  /// - Throws: ``ConnectorError`` with code `invalidResponse` if the body contains no token.
  package init(_ body: Data, serverNow: Date) throws(ConnectorError) {
    guard let fields = try? JSONReader.object(body) else {
      throw ConnectorError(
        own: .invalidResponse, "The token response is not a JSON object.", status: 200)
    }
    func secret(_ name: String) -> Secret? { fields[name]?.string.flatMap { $0.isEmpty ? nil : Secret($0) } }
    idToken = secret("id_token")
    refreshToken = secret("refresh_token")
    let given = secret("access_token")
    let reason = Self.reasonAgainst(fields, given)
    // This does not throw, because a refresh token in the same response may have replaced the one that was sent.
    accessToken = reason == nil ? given : nil
    unusableAccessToken = reason.map { ConnectorError(own: .invalidResponse, $0, status: 200) }
    guard accessToken != nil || idToken != nil || refreshToken != nil || unusableAccessToken != nil else {
      throw ConnectorError(own: .invalidResponse, "The token response has no token.", status: 200)
    }
    scopes = fields["scope"]?.string.map { $0.split(separator: " ").map(String.init) }
    let start = fields["not_before"]?.double ?? serverNow.timeIntervalSince1970
    let seconds = fields["expires_in"]?.double ?? fields["expires_on"]?.double.map { $0 - start }
    // RFC 6749 allows a server to leave the lifetime out, which then is one hour, as in ADAL. No access token lives
    // longer than a year, so anything else is a server's mistake, which must not make a later calculation trap.
    lifetime = min(max(seconds ?? 3_600, 0), 31_536_000)
    refreshIn = fields["refresh_in"]?.double.flatMap { $0 > 0 ? $0 : nil }
    refreshTokenLifetime = fields["refresh_token_expires_in"]?.double.flatMap { $0 > 0 ? $0 : nil }
  }

  /// Returns the reason why the access token cannot be used, if there is one.
  private static func reasonAgainst(_ fields: [String: JSONValue], _ accessToken: Secret?) -> String? {
    // A field with the value `null` counts as missing.
    func given(_ name: String) -> JSONValue? { fields[name].flatMap { $0 == .null ? nil : $0 } }
    guard let accessToken else {
      return given("access_token").map { _ in "The access_token of the token response is not a string, or is empty." }
    }
    // RFC 6750 section 2.1 allows fewer characters, but large providers issue tokens that contain a bar or a colon.
    guard accessToken.value.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
      return "The access_token of the token response has characters that an Authorization header cannot contain."
    }
    // Many servers leave the type out. If they send one, it must be Bearer.
    guard let type = given("token_type"), type.string?.lowercased() != "bearer" else { return nil }
    return "The token_type of the token response is not Bearer."
  }
}
