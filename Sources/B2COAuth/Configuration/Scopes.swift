/// Rules for scopes (RFC 6749 section 3.3): sent as written, compared without regard to case, named once.
enum Scopes {
  /// Removes spaces and repetitions, and puts `openid`, and `offline_access` if it is wanted, in front.
  static func forRequest(_ scopes: [String], offlineAccess: Bool) -> [String] {
    var seen: Set<String> = []
    return (["openid"] + (offlineAccess ? ["offline_access"] : []) + scopes)
      .flatMap { $0.split(separator: " ").map(String.init) }.filter { seen.insert($0.lowercased()).inserted }
  }

  /// Whether a scope names an API.
  static func includeAPIScope(_ scopes: [String]) -> Bool {
    !ofAPI(scopes).isEmpty
  }

  /// The scopes that name an API, in lower case, for comparing.
  static func ofAPI(_ scopes: some Sequence<String>) -> Set<String> {
    Set(scopes.map { $0.lowercased() }.filter { !$0.isEmpty && !ReservedScopes.all.contains($0) })
  }
}
