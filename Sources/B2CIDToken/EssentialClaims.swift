package import B2CCore

/// The claims of a claims request that the id_token has to have, of those that tell how the user signed in.
///
/// A provider that cannot return an essential `acr` as requested has to treat the sign-in as failed (OpenID Connect Core
/// 5.5.1.1); one that does not know the parameter ignores it, so the client checks. Other essential claims are the app's.
package struct EssentialClaims: Sendable, Hashable {
  /// Whether `auth_time` has to be there.
  package var needsAuthenticationTime = false
  /// The values of which `acr` has to be one, any for an empty list; `nil` when `acr` is not essential.
  package var authenticationContexts: [String]?

  /// Makes requirements of nothing.
  package init() {}

  /// Reads a claims request (OpenID Connect Core 5.5).
  ///
  /// - Parameter request: The members of the request.
  package init(claimsRequest request: [String: JSONValue]) {
    let claims = request["id_token"]?.object ?? [:]
    func essential(_ name: String) -> [String: JSONValue]? {
      claims[name]?.object.flatMap { $0["essential"]?.bool == true ? $0 : nil }
    }
    needsAuthenticationTime = essential("auth_time") != nil
    authenticationContexts = essential("acr").map { acr in
      [acr["value"]].compactMap { $0?.string } + (acr["values"]?.array ?? []).compactMap(\.string)
    }
  }
}
