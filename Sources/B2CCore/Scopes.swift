/// The rules for scopes (RFC 6749 section 3.3), which are sent as written but compared without regard to case.
package enum Scopes {
  /// The scopes of OpenID Connect in lower case, which belong to no API (OpenID Connect Core sections 5.4 and 11).
  package static let reserved: Set<String> = ["openid", "offline_access", "profile", "email", "address", "phone"]

  /// Returns a scope in lower case and escaped to ASCII for comparison, because to Swift two spellings of `é` are
  /// equal.
  package static func key(_ scope: String) -> String { FormEncoding.escape(ASCIIText.lowercased(scope)) }

  /// Removes spaces and repetitions, and puts `openid` and, if it is wanted, `offline_access` first.
  package static func forRequest(_ scopes: [String], offlineAccess: Bool) -> [String] {
    var seen: Set<String> = []
    return (["openid"] + (offlineAccess ? ["offline_access"] : []) + scopes)
      .flatMap { $0.split(separator: " ").map(String.init) }.filter { seen.insert(key($0)).inserted }
  }

  /// Whether one of the scopes belongs to an API.
  package static func includeAPIScope(_ scopes: [String]) -> Bool {
    scopes.contains { isOfAPI(ASCIIText.lowercased($0)) }
  }

  /// Returns the scopes that belong to an API, in the form for comparison.
  package static func ofAPI(_ scopes: some Sequence<String>) -> Set<String> { Set(scopes.map(key).filter(isOfAPI)) }

  private static func isOfAPI(_ scope: String) -> Bool {
    !scope.isEmpty && !reserved.contains { ASCIIText.isSame($0, scope) }
  }
}
