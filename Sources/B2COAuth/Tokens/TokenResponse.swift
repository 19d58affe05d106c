internal import B2CCore
internal import Foundation

/// A successful answer of the token endpoint (RFC 6749 section 5.1), read as real servers write it.
struct TokenResponse: Sendable {
  let accessToken: Secret?
  /// The error of an access token that is there but cannot be used: it is no text, or of another type than Bearer.
  let unusableAccessToken: ConnectorError?
  let idToken: Secret?
  let refreshToken: Secret?
  /// The granted scopes; `nil` when the server left them out, which means those that were asked for.
  let scopes: [String]?
  /// The life of the access token, in seconds.
  let lifetime: TimeInterval
  let refreshIn: TimeInterval?
  let refreshTokenLifetime: TimeInterval?

  /// Reads the body of an answer with status 200.
  ///
  /// - Throws: ``ConnectorError`` with code `invalidResponse` for a body that is no token answer.
  init(_ body: Data, serverNow: Date) throws(ConnectorError) {
    guard let fields = try? JSONReader.object(body) else {
      throw ConnectorError(
        own: .invalidResponse, "The token endpoint answered 200 with something that is not a JSON object.", status: 200)
    }
    func secret(_ name: String) -> Secret? { fields[name]?.string.flatMap { $0.isEmpty ? nil : Secret($0) } }
    idToken = secret("id_token")
    refreshToken = secret("refresh_token")
    let given = secret("access_token")
    let reason = Self.reasonAgainst(fields, given)
    // A refresh token beside it is good all the same, and may have replaced the one that was sent.
    accessToken = reason == nil ? given : nil
    unusableAccessToken = reason.map { ConnectorError(own: .invalidResponse, $0, status: 200) }
    guard accessToken != nil || idToken != nil || refreshToken != nil || unusableAccessToken != nil else {
      throw ConnectorError(own: .invalidResponse, "The token answer has no token.", status: 200)
    }
    scopes = fields["scope"]?.string.map { $0.split(separator: " ").map(String.init) }
    let start = fields["not_before"]?.double ?? serverNow.timeIntervalSince1970
    let seconds = fields["expires_in"]?.double ?? fields["expires_on"]?.double.map { $0 - start }
    // If the server says nothing, which RFC 6749 leaves to the client, it is an hour, as in ADAL. A year is beyond every
    // access token; what is outside is a server's mistake, not a reason to trap later.
    lifetime = min(max(seconds ?? 3_600, 0), 31_536_000)
    refreshIn = fields["refresh_in"]?.double.flatMap { $0 > 0 ? $0 : nil }
    refreshTokenLifetime = fields["refresh_token_expires_in"]?.double.flatMap { $0 > 0 ? $0 : nil }
  }

  /// Why the access token cannot be used, if there is one.
  private static func reasonAgainst(_ fields: [String: JSONValue], _ accessToken: Secret?) -> String? {
    // What is null is not there.
    func given(_ name: String) -> JSONValue? { fields[name].flatMap { $0 == .null ? nil : $0 } }
    guard let accessToken else {
      return given("access_token").map { _ in "The token answer's access_token is not a text, or is empty." }
    }
    // RFC 6750 section 2.1 allows fewer characters, but large providers issue tokens with a bar or a colon.
    guard accessToken.value.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
      return "The token answer's access_token has spaces or characters that no Authorization header can carry."
    }
    // Many servers leave the type out; one that is there has to be right.
    guard let type = given("token_type"), type.string?.lowercased() != "bearer" else { return nil }
    return "The token answer is of a type other than Bearer."
  }
}
