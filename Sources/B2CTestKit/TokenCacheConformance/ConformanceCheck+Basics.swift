internal import B2CTokenCache

extension ConformanceCheck {
  /// The meaning of each method.
  static let basics = [
    ConformanceCheck(.absence) { cache in
      guard try await cache.record(for: Samples.key(1)) == nil else { return "an empty cache has a record" }
      try await cache.removeRecord(for: Samples.key(1))
      return try await cache.keys().isEmpty ? nil : "an empty cache lists keys"
    },
    ConformanceCheck(.reading) { cache in
      try await cache.store(Samples.record(1), for: Samples.key(1))
      guard let record = try await cache.record(for: Samples.key(1)) else { return "the record was nil" }
      guard Samples.number(of: record) == 1 else { return "the record holds other tokens" }
      return try await cache.record(for: Samples.key(2)) == nil ? nil : "another key has a record, too"
    },
    ConformanceCheck(.overwriting) { cache in
      try await cache.store(Samples.full, for: Samples.key(1))
      try await cache.store(Samples.record(2), for: Samples.key(1))
      guard let record = try await cache.record(for: Samples.key(1)) else { return "the record was nil" }
      if Samples.hasSameTokens(record, Samples.full) { return "the first record is still there" }
      guard Samples.number(of: record) == 2, record.homeAccountID == nil, record.claims.count == 1 else {
        return "the record is a mixture of both"
      }
      return nil
    },
    ConformanceCheck(.removing) { cache in
      for number in 1...3 { try await cache.store(Samples.record(number), for: Samples.key(number)) }
      try await cache.removeRecord(for: Samples.key(2))
      guard try await cache.record(for: Samples.key(2)) == nil else { return "the removed record is still there" }
      for number in [1, 3] where try await cache.record(for: Samples.key(number)) == nil {
        return "another record is gone, too"
      }
      try await cache.store(Samples.record(4), for: Samples.key(2))
      return try await cache.record(for: Samples.key(2)) == nil ? "the key cannot be used again" : nil
    },
    ConformanceCheck(.listing) { cache in
      for number in 1...5 { try await cache.store(Samples.record(number), for: Samples.key(number)) }
      try await cache.store(Samples.record(6), for: Samples.key(1))
      try await cache.removeRecord(for: Samples.key(5))
      return compare(try await cache.keys(), with: (1...4).map { Samples.key($0) })
    },
    ConformanceCheck(.distinctKeys) { cache in
      let keys = [
        Samples.key(), Samples.key(authority: "https://contoso.b2clogin.com/other"),
        Samples.key(authority: "https://other.example/contoso.onmicrosoft.com"), Samples.key(policy: ""),
        Samples.key(policy: "b2c_1_edit"), Samples.key(client: "another"), Samples.key(account: "other.tenant"),
        Samples.key(account: "person.other"), Samples.key(policy: "a", client: "bc"),
        Samples.key(policy: "ab", client: "c"), Samples.key(account: "PERSON.tenant"), Samples.key(client: "Another"),
        Samples.key(account: "ren\u{E9}"), Samples.key(account: "rene\u{301}"),
      ]
      return try await keepApart(keys, in: cache)
    },
  ]

  /// Stores another record for each key and checks that each is found again and listed.
  static func keepApart(_ keys: [TokenCacheKey], in cache: any TokenCache) async throws -> String? {
    for (number, key) in keys.enumerated() { try await cache.store(Samples.record(number), for: key) }
    for (number, key) in keys.enumerated() {
      guard let record = try await cache.record(for: key) else { return "the record of \(shown(key)) is missing" }
      guard Samples.number(of: record) == number else { return "\(shown(key)) has the record of another key" }
    }
    if let observation = compare(try await cache.keys(), with: keys) { return observation }
    for key in keys { try await cache.removeRecord(for: key) }
    return try await cache.keys().isEmpty ? nil : "after removing every record, some are left"
  }

  private static func compare(_ listed: [TokenCacheKey], with expected: [TokenCacheKey]) -> String? {
    let (found, wanted) = (Set(listed), Set(expected))
    if let key = wanted.subtracting(found).first { return "keys() does not list \(shown(key))" }
    if let key = found.subtracting(wanted).first {
      return "keys() lists \(shown(key)), which was not stored or is gone"
    }
    return listed.count == found.count ? nil : "keys() lists a key more than once"
  }

  private static func shown(_ key: TokenCacheKey) -> String {
    let text = [key.authority, key.policy, key.clientID, key.accountID].joined(separator: " ")
    return text.count > 160 ? text.prefix(160) + "…" : text
  }
}
