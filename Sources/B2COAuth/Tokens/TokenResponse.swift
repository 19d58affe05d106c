internal import B2CCore
internal import Foundation

/// A successful answer of the token endpoint (RFC 6749 section 5.1), read as real servers write it.
struct TokenResponse: Sendable {
  let accessToken: Secret?
  let idToken: Secret?
  let refreshToken: Secret?
  /// The granted scopes; `nil` when the server left them out, which means those that were asked for.
  let scopes: [String]?
  /// The life of the access token, or of the id_token when there is no access token, in seconds.
  let lifetime: TimeInterval
  let refreshIn: TimeInterval?
  let refreshTokenLifetime: TimeInterval?
  let clientInfo: ClientInfo?
  /// The claims that ADAL showed (`profile_info`).
  ///
  /// They are not signed.
  let profileInfo: [String: JSONValue]
  /// Members that this version does not know.
  let unknownMembers: [String: JSONValue]

  private static let known: Set<String> = [
    "access_token", "id_token", "refresh_token", "token_type", "scope", "expires_in", "expires_on", "not_before",
    "id_token_expires_in", "refresh_in", "refresh_token_expires_in", "client_info", "profile_info",
  ]
  // What ADAL assumed, and RFC 6749 leaves to the client, when the server says nothing.
  private static let assumedLifetime: TimeInterval = 3_600

  /// Reads an answer.
  ///
  /// - Throws: ``OAuthError`` with code `invalidResponse` for a body that is no token answer.
  init(_ response: TransportResponse, serverNow: Date) throws(OAuthError) {
    guard let members = try? JSONReader.object(response.body) else {
      throw OAuthError(
        .invalidResponse, "The token endpoint answered \(response.status) with something that is not a JSON object.",
        server: ServerAnswer(status: response.status))
    }
    func secret(_ name: String) -> Secret? {
      members[name]?.string.flatMap { $0.isEmpty ? nil : Secret($0) }
    }
    accessToken = secret("access_token")
    idToken = secret("id_token")
    refreshToken = secret("refresh_token")
    guard accessToken != nil || idToken != nil else {
      throw OAuthError(
        .invalidResponse, "The token answer has neither an access_token nor an id_token.",
        server: ServerAnswer(status: response.status))
    }
    let type = members["token_type"]?.string ?? "Bearer"
    guard accessToken == nil || type.lowercased() == "bearer" else {
      throw OAuthError(.invalidResponse, "The token answer is of a type other than Bearer.")
    }
    scopes = members["scope"]?.string.map { $0.split(separator: " ").map(String.init) }
    lifetime = Self.lifetime(members, hasAccessToken: accessToken != nil, serverNow: serverNow)
    refreshIn = members["refresh_in"]?.double.flatMap { $0 > 0 ? $0 : nil }
    refreshTokenLifetime = members["refresh_token_expires_in"]?.double.flatMap { $0 > 0 ? $0 : nil }
    clientInfo = members["client_info"]?.string.flatMap(ClientInfo.init)
    profileInfo = members["profile_info"]?.string.map(Self.profile) ?? [:]
    unknownMembers = members.filter { !Self.known.contains($0.key) }
  }

  private static func lifetime(_ members: [String: JSONValue], hasAccessToken: Bool, serverNow: Date) -> TimeInterval {
    let seconds: TimeInterval
    if let stated = members["expires_in"]?.double {
      seconds = stated
    } else if !hasAccessToken, let stated = members["id_token_expires_in"]?.double {
      seconds = stated
    } else if let end = members["expires_on"]?.double {
      seconds = end - (members["not_before"]?.double ?? serverNow.timeIntervalSince1970)
    } else {
      seconds = assumedLifetime
    }
    // A year is beyond every access token; what is outside is a server's mistake, not a reason to trap later.
    return min(max(seconds, 0), 31_536_000)
  }

  private static func profile(_ text: String) -> [String: JSONValue] {
    var claims: [String: JSONValue] = [:]
    for part in text.split(separator: ".") {
      guard let data = Base64URL.decode(part),
        let members = try? JSONReader.object(data)
      else { continue }
      claims.merge(members) { first, _ in first }
    }
    return claims
  }
}
