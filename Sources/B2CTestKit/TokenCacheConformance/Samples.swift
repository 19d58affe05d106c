internal import B2CTokenCache
internal import Foundation

/// Keys and records to check with; nothing in them is a real secret.
enum Samples {
  static func key(
    authority: String = "https://contoso.b2clogin.com/contoso.onmicrosoft.com", policy: String = "b2c_1_signin",
    client: String = "11111111-2222-3333-4444-555555555555", account: String = "person.tenant"
  ) -> TokenCacheKey {
    TokenCacheKey(authority: authority, policy: policy, clientID: client, accountID: account)
  }

  static func key(_ number: Int) -> TokenCacheKey { key(account: "person-\(number).tenant") }

  /// A record whose tokens all belong together by its number.
  static func record(_ number: Int) -> TokenRecord {
    TokenRecord(
      refreshToken: Secret("refresh-\(number)"), idToken: Secret("id-\(number)"),
      claims: ["number": .integer(Int64(number))],
      accessTokens: [
        CachedAccessToken(
          token: Secret("access-\(number)"), scopes: ["read", "write"], receivedAt: date(number),
          expiresAt: date(number + 3600))
      ], signedInAt: date(number))
  }

  /// A record with a value in every field.
  static var full: TokenRecord {
    var access = CachedAccessToken(
      token: Secret("Access/ToKen+=\u{1F511}\n"), scopes: ["https://api/Tasks.Read", "openid"], receivedAt: date(0.125),
      expiresAt: date(3600.25), refreshAt: date(1800.5))
    access.requestedScopes = ["https://api/Tasks.Read", "https://api/Tasks.Write", "openid"]
    var record = TokenRecord(
      refreshToken: Secret("Refresh \"token\" \\ with ümlauts"), refreshTokenExpiresAt: date(86400.75),
      idToken: Secret("e30.e30.sig"),
      claims: [
        "name": .string("Zoë \u{1F600}"), "emails": .array([.string("a@b.example"), .null]), "age": .integer(-7),
        "share": .number(0.5), "admin": .bool(true), "nested": .object(["empty": .object([:]), "list": .array([])]),
      ], homeAccountID: "person-b2c_1_signin.tenant", accessTokens: [access, record(7).accessTokens[0]],
      signedInAt: date(0.001), policyID: "B2C_1_SignIn")
    record.version = TokenRecord.currentVersion
    return record
  }

  /// The record's number when all its parts agree, which they do not when two writes were mixed.
  static func number(of record: TokenRecord) -> Int? {
    guard case .integer(let number) = record.claims["number"] else { return nil }
    return hasSameTokens(record, Samples.record(Int(number))) ? Int(number) : nil
  }

  static func hasSameTokens(_ left: TokenRecord, _ right: TokenRecord) -> Bool {
    left.refreshToken == right.refreshToken && left.idToken == right.idToken
      && left.accessTokens.map(\.token) == right.accessTokens.map(\.token)
  }

  static func date(_ seconds: Double) -> Date { Date(timeIntervalSince1970: 1_767_225_600 + seconds) }

  static func date(_ seconds: Int) -> Date { date(Double(seconds)) }
}
