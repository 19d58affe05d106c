public import B2CCore
internal import Foundation

extension LocalTenant {
  /// Checks an access token as an API of the tenant does: signature by a published key, issuer, audience, lifetime.
  ///
  /// An id_token is refused even where its audience would fit.
  ///
  /// - Parameters:
  ///   - token: The token.
  ///   - audiences: The client ids the API answers to, in any case.
  /// - Returns: The token's claims, or what is wrong with it in words for `error_description`.
  public func checkAccessToken(
    _ token: String, audiences: Set<String>
  ) -> Result<[String: JSONValue], LocalTokenProblem> {
    guard let parsed = LocalToken(token) else { return .failure(.malformed) }
    let claims = parsed.claims
    guard signingKeys.contains(where: { $0.verifies(token) }) else { return .failure(.signature) }
    guard let issuer = claims["iss"]?.string, issuers.contains(issuer) else { return .failure(.issuer) }
    let audience = claims["aud"]?.string?.lowercased() ?? ""
    guard audiences.contains(where: { $0.lowercased() == audience }) else { return .failure(.audience) }
    let time = now().timeIntervalSince1970
    guard let end = claims["exp"]?.double, time < end else { return .failure(.expired) }
    if let start = claims["nbf"]?.double, time < start.rounded(.down) { return .failure(.notYetValid) }
    // Only access tokens say which client they were given to.
    guard claims["azp"] != nil else { return .failure(.notAnAccessToken) }
    return .success(claims)
  }
}

/// Why an access token is refused.
public enum LocalTokenProblem: String, Error, Sendable, Hashable {
  /// The token is no JWT.
  case malformed = "The token is malformed"
  /// No published key signed it.
  case signature = "The signature is invalid"
  /// Another issuer made it.
  case issuer = "The issuer is invalid"
  /// It is for another API.
  case audience = "The audience is invalid"
  /// Its time is over.
  case expired = "The token is expired"
  /// Its time has not come.
  case notYetValid = "The token is not active"
  /// It is an id_token or the like.
  case notAnAccessToken = "The token is not an access token"
}
