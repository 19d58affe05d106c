internal import B2CAuthority

/// Rules for scopes (RFC 6749 section 3.3): sent as written, compared without regard to case, named once.
enum Scopes {
  /// Removes spaces and repetitions, and puts `openid`, and `offline_access` if it is wanted, in front.
  static func forRequest(_ scopes: [String], offlineAccess: Bool) -> [String] {
    unique(["openid"] + (offlineAccess ? ["offline_access"] : []) + scopes)
  }

  /// Whether a scope names an API.
  static func includeAPIScope(_ scopes: [String]) -> Bool {
    scopes.contains { isOfAPI($0.lowercased()) }
  }

  /// The scopes that name an API, in lower case, for comparing.
  static func ofAPI(_ scopes: some Sequence<String>) -> Set<String> {
    Set(scopes.map { $0.lowercased() }.filter(isOfAPI))
  }

  /// Whether a scope in lower case names an API.
  private static func isOfAPI(_ scope: String) -> Bool { !scope.isEmpty && !ReservedScopes.all.contains(scope) }

  /// Whether granted scopes cover wanted ones.
  static func cover(_ granted: some Sequence<String>, wanted: some Sequence<String>) -> Bool {
    ofAPI(wanted).isSubset(of: ofAPI(granted))
  }

  private static func unique(_ scopes: [String]) -> [String] {
    var seen: Set<String> = []
    return scopes.flatMap { $0.split(separator: " ").map(String.init) }.filter { seen.insert($0.lowercased()).inserted }
  }
}
