internal import B2CCore
internal import B2CTokenCache
internal import Foundation

extension ConformanceCheck {
  /// The checks of what each method does, and of the keys and records that a cache must be able to hold.
  static let records = [
    ConformanceCheck(.overwriting) { cache in
      try await cache.store(Samples.full, for: Samples.key(1))
      try await cache.store(Samples.record(2), for: Samples.key(1))
      guard let record = try await cache.record(for: Samples.key(1)) else { throw Samples.missing }
      try expect(!Samples.hasSameTokens(record, Samples.full), "the first record is still there")
      let isSecond = Samples.number(of: record) == 2 && record.policyID == nil && record.claims.count == 1
      try expect(isSecond, "the record is a mixture of both")
    },
    ConformanceCheck(.removing) { cache in
      try await expect(cache.record(for: Samples.key(1)) == nil, "an empty cache has a record")
      try await cache.removeRecord(for: Samples.key(1))
      for number in 1...3 { try await cache.store(Samples.record(number), for: Samples.key(number)) }
      try await cache.removeRecord(for: Samples.key(2))
      try await expect(cache.record(for: Samples.key(2)) == nil, "the removed record is still there")
      for number in [1, 3] {
        try await expect(cache.record(for: Samples.key(number)) != nil, "another record is gone, too")
      }
      try await cache.store(Samples.record(4), for: Samples.key(2))
      try await expect(cache.record(for: Samples.key(2)) != nil, "the key cannot be used again")
    },
    ConformanceCheck(.listing) { cache in
      try await expect(cache.keys().isEmpty, "an empty cache lists keys")
      for number in 1...5 { try await cache.store(Samples.record(number), for: Samples.key(number)) }
      try await cache.store(Samples.record(6), for: Samples.key(1))
      try await cache.removeRecord(for: Samples.key(5))
      try compare(try await cache.keys(), with: (1...4).map { Samples.key($0) })
    },
    ConformanceCheck(.distinctKeys) { cache in
      let keys = [
        Samples.key(), Samples.key(authority: "https://contoso.b2clogin.com/other"),
        Samples.key(authority: "https://other.example/contoso.onmicrosoft.com"), Samples.key(client: ""),
        Samples.key(client: "another"), Samples.key(client: "Another"), Samples.key(user: "other.tenant"),
        Samples.key(user: "person.other"), Samples.key(client: "a", user: "bc"), Samples.key(client: "ab", user: "c"),
        Samples.key(user: "PERSON.tenant"), Samples.key(user: "ren\u{E9}"), Samples.key(user: "rene\u{301}"),
      ]
      let odd = "a/../b|c%2F'\"\u{1F511}"
      let long = String(repeating: "long", count: 250)
      let users = [
        "a/b", "a%2fb", "../../etc/passwd", ".", "..", ".hidden", "~tilde", "~", "a b", "a+b", "a|b", "a:b", "a\\b",
        "a'b", "a\"b", "a\nb", "a\tb", "*?<>", "ünïcode", "u\u{308}nicode", "\u{1F468}\u{200D}\u{1F469}", "-rf",
        "a.json", "nul", "%", "a;drop table records", "", long, long + "a",
      ]
      let parts = [odd, long].flatMap { [Samples.key(authority: "https://host/" + $0), Samples.key(client: $0)] }
      try await keepApart(keys + users.map { Samples.key(user: $0) } + parts, in: cache)
    },
    ConformanceCheck(.everyField) { cache in
      try await cache.store(Samples.full, for: Samples.key(1))
      guard let record = try await cache.record(for: Samples.key(1)) else { throw Samples.missing }
      // Compare the encoded fields one by one, so that the message can name the field that differs.
      let fields = try [record, Samples.full].map { try JSONReader.object(LocalJSON.data($0)) }
      let different = Set(fields.flatMap(\.keys)).sorted().first { fields[0][$0] != fields[1][$0] }
      try expect(different == nil, "'\(different ?? "")' is not as it was stored")
      try await expect(cache.record(for: Samples.key(2)) == nil, "another key has a record, too")
      var large = Samples.record(1)
      large.refreshToken = Secret(String(repeating: "0123456789abcdef", count: 25_000))
      try await cache.store(large, for: Samples.key(2))
      let read = try await cache.record(for: Samples.key(2))
      try expect(read?.refreshToken == large.refreshToken, "a token of 400,000 characters came back changed")
    },
  ]

  /// Stores a different record for each key, and checks that each record is found and each key listed.
  private static func keepApart(_ keys: [TokenCacheKey], in cache: any TokenCache) async throws {
    for (number, key) in keys.enumerated() { try await cache.store(Samples.record(number), for: key) }
    for (number, key) in keys.enumerated() {
      let record = try await cache.record(for: key)
      try expect(record != nil, "the record of \(shown(key)) is missing")
      try expect(record.flatMap(Samples.number) == number, "\(shown(key)) has the record of another key")
    }
    try compare(try await cache.keys(), with: keys)
    for key in keys { try await cache.removeRecord(for: key) }
    try await expect(cache.keys().isEmpty, "after removing every record, some are left")
  }

  private static func compare(_ listed: [TokenCacheKey], with expected: [TokenCacheKey]) throws {
    for key in expected { try expect(listed.contains(key), "keys() does not list \(shown(key))") }
    for key in listed {
      try expect(expected.contains(key), "keys() lists \(shown(key)), which was not stored or is gone")
    }
    try expect(listed.count == expected.count, "keys() lists a key more than once")
  }

  private static func shown(_ key: TokenCacheKey) -> String {
    let text = [key.authority, key.clientID, key.userID].joined(separator: " ")
    return text.count > 160 ? text.prefix(160) + "…" : text
  }
}

/// The keys and records of the checks, none of which is a real secret.
enum Samples {
  static let missing = Observation(description: "the record was nil")

  static func key(
    authority: String = "https://contoso.b2clogin.com/contoso.onmicrosoft.com",
    client: String = "11111111-2222-3333-4444-555555555555", user: String = "person.tenant"
  ) -> TokenCacheKey {
    TokenCacheKey(authority: authority, clientID: client, userID: user)
  }

  static func key(_ number: Int) -> TokenCacheKey { key(user: "person-\(number).tenant") }

  /// Returns a record with a new stamp, whose claims and tokens all contain its number.
  static func record(_ number: Int) -> TokenRecord {
    TokenRecord(
      signedInAt: date(Double(number)), claims: ["number": .integer(Int64(number))], idToken: Secret("id-\(number)"),
      refreshToken: Secret("refresh-\(number)"),
      accessTokens: [
        CachedAccessToken(
          token: Secret("access-\(number)"), scopes: ["read", "write"], receivedAt: date(Double(number)),
          expiresAt: date(Double(number) + 3600))
      ])
  }

  /// A record with a value in every field.
  static let full: TokenRecord = {
    var access = CachedAccessToken(
      token: Secret("Access/ToKen+=\u{1F511}\n"), scopes: ["https://api/Tasks.Read", "openid"], receivedAt: date(0.125),
      expiresAt: date(3600.25), refreshAt: date(1800.5))
    access.requestedScopes = ["https://api/Tasks.Read", "https://api/Tasks.Write", "openid"]
    var record = TokenRecord(
      signedInAt: date(0.001), policyID: "B2C_1_SignIn",
      claims: [
        "name": .string("Zoë \u{1F600}"), "emails": .array([.string("a@b.example"), .null]), "age": .integer(-7),
        "share": .number(0.5), "admin": .bool(true), "nested": .object(["empty": .object([:]), "list": .array([])]),
      ], idToken: Secret("e30.e30.sig"), refreshToken: Secret("Refresh \"token\" \\ with ümlauts"),
      refreshTokenExpiresAt: date(86400.75), accessTokens: [access] + Self.record(7).accessTokens)
    record.isEnded = true
    return record
  }()

  /// Returns the number of a record, or `nil` if its parts have different numbers because the cache mixed two writes.
  static func number(of record: TokenRecord) -> Int? {
    guard case .integer(let claim) = record.claims["number"], let number = Int(exactly: claim) else { return nil }
    return hasSameTokens(record, Samples.record(number)) ? number : nil
  }

  static func hasSameTokens(_ left: TokenRecord, _ right: TokenRecord) -> Bool {
    left.refreshToken == right.refreshToken && left.idToken == right.idToken
      && left.accessTokens.map(\.token) == right.accessTokens.map(\.token)
  }

  static func date(_ seconds: Double) -> Date { Date(timeIntervalSince1970: 1_767_225_600 + seconds) }
}
