internal import B2CCore

/// Rules for scopes (RFC 6749 section 3.3): sent as written, compared without regard to case, named once.
enum Scopes {
  /// A scope as it is compared: in lower case and escaped to ASCII, because Swift takes two forms of `é` for the same text.
  static func key(_ scope: String) -> String { FormEncoding.escape(ASCIIText.lowercased(scope)) }

  /// Removes spaces and repetitions, and puts `openid`, and `offline_access` if it is wanted, in front.
  static func forRequest(_ scopes: [String], offlineAccess: Bool) -> [String] {
    var seen: Set<String> = []
    return (["openid"] + (offlineAccess ? ["offline_access"] : []) + scopes)
      .flatMap { $0.split(separator: " ").map(String.init) }.filter { seen.insert(key($0)).inserted }
  }

  /// Whether a scope names an API.
  static func includeAPIScope(_ scopes: [String]) -> Bool {
    scopes.contains { isOfAPI(ASCIIText.lowercased($0)) }
  }

  /// The scopes that name an API, as they are compared.
  static func ofAPI(_ scopes: some Sequence<String>) -> Set<String> {
    Set(scopes.map(key).filter(isOfAPI))
  }

  private static func isOfAPI(_ scope: String) -> Bool {
    !scope.isEmpty && !ReservedScopes.all.contains { ASCIIText.isSame($0, scope) }
  }
}
