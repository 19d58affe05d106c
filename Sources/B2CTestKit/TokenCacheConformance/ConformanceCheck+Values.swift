internal import B2CTokenCache
internal import Foundation

extension ConformanceCheck {
  /// The contents that keys and records may have.
  static let values = [
    ConformanceCheck(.manyKeys) { cache in
      try await keepApart((0..<300).map { Samples.key($0) }, in: cache)
    },
    ConformanceCheck(.oddCharacters) { cache in
      let accounts = [
        "a/b", "a%2fb", "../../etc/passwd", ".", "..", ".hidden", "~tilde", "~", "a b", "a+b", "a|b", "a:b", "a\\b",
        "a'b", "a\"b", "a\nb", "a\tb", "*?<>", "ünïcode", "u\u{308}nicode", "\u{1F468}\u{200D}\u{1F469}", "-rf",
        "a.json",
        "nul", "%", "a;drop table records", "",
      ]
      let odd = "a/../b|c%2F'\"\u{1F511}"
      return try await keepApart(
        accounts.map { Samples.key(account: $0) }
          + [Samples.key(authority: odd), Samples.key(policy: odd), Samples.key(client: odd)],
        in: cache)
    },
    ConformanceCheck(.longKeys) { cache in
      let long = String(repeating: "long", count: 250)
      return try await keepApart(
        [
          Samples.key(account: long), Samples.key(account: long + "a"), Samples.key(authority: "https://host/" + long),
          Samples.key(policy: long), Samples.key(client: long), Samples.key(client: "b" + long),
        ], in: cache)
    },
    ConformanceCheck(.largeValues) { cache in
      var record = Samples.record(1)
      record.refreshToken = Secret(String(repeating: "0123456789abcdef", count: 25_000))
      try await cache.store(record, for: Samples.key(1))
      let read = try await cache.record(for: Samples.key(1))
      return read?.refreshToken == record.refreshToken ? nil : "a token of 400,000 characters came back changed"
    },
    ConformanceCheck(.everyField) { cache in
      try await cache.store(Samples.full, for: Samples.key(1))
      guard let record = try await cache.record(for: Samples.key(1)) else { return "the record was nil" }
      return firstDifference(record, Samples.full).map { "\($0) is not as it was stored" }
    },
    ConformanceCheck(.unknownFields) { cache in
      var record = Samples.record(1)
      record.unknownMembers = ["newer": .object(["list": .array([.integer(1), .string("two"), .null])])]
      record.accessTokens[0].unknownMembers = ["newer": .string("kept")]
      try await cache.store(record, for: Samples.key(1))
      let read = try await cache.record(for: Samples.key(1))
      if read?.unknownMembers != record.unknownMembers { return "those of the record are lost or changed" }
      return read?.accessTokens.first?.unknownMembers == record.accessTokens[0].unknownMembers
        ? nil : "those of an access token are lost or changed"
    },
  ]

  private static func firstDifference(_ left: TokenRecord, _ right: TokenRecord) -> String? {
    let pairs: [(String, Bool)] = [
      ("refreshToken", left.refreshToken == right.refreshToken), ("idToken", left.idToken == right.idToken),
      ("claims", left.claims == right.claims), ("homeAccountID", left.homeAccountID == right.homeAccountID),
      ("policyID", left.policyID == right.policyID), ("version", left.version == right.version),
      ("signedInAt", isClose(left.signedInAt, right.signedInAt)),
      ("refreshTokenExpiresAt", isClose(left.refreshTokenExpiresAt, right.refreshTokenExpiresAt)),
      ("the number of access tokens", left.accessTokens.count == right.accessTokens.count),
    ]
    if let difference = pairs.first(where: { !$0.1 }) { return difference.0 }
    for (left, right) in zip(left.accessTokens, right.accessTokens) {
      if left.token != right.token { return "an access token, or their order," }
      if left.scopes != right.scopes { return "an access token's set of scopes" }
      if left.requestedScopes != right.requestedScopes { return "an access token's set of scopes that were asked for" }
      guard isClose(left.receivedAt, right.receivedAt), isClose(left.expiresAt, right.expiresAt),
        isClose(left.refreshAt, right.refreshAt)
      else { return "a date of an access token" }
    }
    return nil
  }

  private static func isClose(_ left: Date?, _ right: Date?) -> Bool {
    guard let left, let right else { return left == right }
    return abs(left.timeIntervalSince(right)) < 0.0005
  }
}
