/// Rules for scopes (RFC 6749 section 3.3): sent as written, compared without regard to case, named once.
package enum Scopes {
  /// The scopes of OpenID Connect itself, in lower case, which name no API (OpenID Connect Core sections 5.4 and 11).
  package static let reserved: Set<String> = ["openid", "offline_access", "profile", "email", "address", "phone"]

  /// A scope as it is compared: in lower case and escaped to ASCII, because Swift takes two forms of `é` for the same text.
  package static func key(_ scope: String) -> String { FormEncoding.escape(ASCIIText.lowercased(scope)) }

  /// Removes spaces and repetitions, and puts `openid`, and `offline_access` if it is wanted, in front.
  package static func forRequest(_ scopes: [String], offlineAccess: Bool) -> [String] {
    var seen: Set<String> = []
    return (["openid"] + (offlineAccess ? ["offline_access"] : []) + scopes)
      .flatMap { $0.split(separator: " ").map(String.init) }.filter { seen.insert(key($0)).inserted }
  }

  /// Whether a scope names an API.
  package static func includeAPIScope(_ scopes: [String]) -> Bool {
    scopes.contains { isOfAPI(ASCIIText.lowercased($0)) }
  }

  /// The scopes that name an API, as they are compared.
  package static func ofAPI(_ scopes: some Sequence<String>) -> Set<String> { Set(scopes.map(key).filter(isOfAPI)) }

  private static func isOfAPI(_ scope: String) -> Bool {
    !scope.isEmpty && !reserved.contains { ASCIIText.isSame($0, scope) }
  }
}
