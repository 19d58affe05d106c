import B2CTokenCache
import Foundation
import Testing

@Suite struct MSALCacheImportTests {
  private static let tenant = "bbbbbbbb-0000-0000-0000-000000000002"
  private static let person = "aaaaaaaa-0000-0000-0000-000000000001"
  private static let home = "\(person)-b2c_1_todo.email_signin.\(tenant)"
  private static let client = "11111111-2222-3333-4444-555555555555"
  // {"oid":"…","tfp":"B2C_1_todo","name":"Ada","exp":1767229200}, unsigned
  private static let idToken =
    "eyJhbGciOiJub25lIn0.eyJvaWQiOiJhYWFhIiwidGZwIjoiQjJDXzFfdG9kbyIsIm5hbWUiOiJBZGEifQ.c2ln"

  private static func entry(_ fields: [String: Any]) -> [String: Any] {
    ["home_account_id": home, "environment": "contoso.b2clogin.com", "client_id": client]
      .merging(fields) { _, new in new }
  }

  /// The form that the libraries write: texts for times, the scopes in one text, names in the dictionaries of no weight.
  private static func cache(_ changes: [String: [String: Any]] = [:]) throws -> Data {
    let sections: [String: [String: Any]] = [
      "AccessToken": [
        "valid": entry([
          "credential_type": "AccessToken", "secret": "access-1", "realm": tenant, "token_type": "Bearer",
          "target": "https://contoso/tasks.read https://contoso/tasks.write", "cached_at": "1767225600",
          "expires_on": "1767229200", "extended_expires_on": "1767229200", "refresh_on": "1767227400",
        ]),
        "ended": entry([
          "secret": "access-2", "realm": tenant, "target": "x", "cached_at": "1767200000", "expires_on": "1767203600",
        ]),
        "bound": entry([
          "secret": "access-3", "realm": tenant, "target": "x", "token_type": "pop", "cached_at": 1_767_225_600,
          "expires_on": 1_767_229_200,
        ]),
        "app": [
          "home_account_id": NSNull(), "environment": "contoso.b2clogin.com", "client_id": client, "secret": "app",
          "expires_on": "1767229200",
        ],
      ],
      "RefreshToken": ["r": entry(["credential_type": "RefreshToken", "secret": "refresh-1", "target": NSNull()])],
      "IdToken": ["i": entry(["credential_type": "IdToken", "secret": idToken, "realm": tenant])],
      "Account": [
        "a": [
          "home_account_id": home, "environment": "contoso.b2clogin.com", "realm": tenant, "username": "ada@contoso",
          "local_account_id": person, "authority_type": "MSSTS",
        ]
      ],
      "AppMetadata": ["m": ["client_id": client, "environment": "contoso.b2clogin.com", "family_id": ""]],
    ]
    return try JSONSerialization.data(withJSONObject: sections.merging(changes) { _, new in new })
  }

  private func read(_ data: Data, authority: String? = nil) throws -> MSALCacheImport {
    try MSALCacheImport(data, authority: authority, now: { Samples.date(60) })
  }

  @Test func oneRecordComesOutOfTheScatteredEntries() throws {
    let imported = try read(Self.cache())
    let entry = try #require(imported.entries.first)
    #expect(imported.entries.count == 1)
    #expect(entry.key.authority == "https://contoso.b2clogin.com/\(Self.tenant)")
    #expect(entry.key.policy == "b2c_1_todo.email_signin")
    #expect(entry.key.clientID == Self.client)
    #expect(entry.key.accountID == "\(Self.person).\(Self.tenant)")
    #expect(entry.record.refreshToken == Secret("refresh-1"))
    #expect(entry.record.idToken == Secret(Self.idToken))
    #expect(entry.record.homeAccountID == Self.home)
    #expect(entry.record.claims["name"] == .string("Ada"))
    #expect(entry.record.policyID == "b2c_1_todo.email_signin")
    #expect(entry.record.signedInAt == Samples.date(0))
    #expect(
      entry.record.accessTokens == [
        CachedAccessToken(
          token: Secret("access-1"), scopes: ["https://contoso/tasks.read", "https://contoso/tasks.write"],
          receivedAt: Samples.date(0), expiresAt: Samples.date(3600), refreshAt: Samples.date(1800))
      ])
    #expect(imported.skipped.count == 3)
    #expect(!"\(imported.skipped)".contains("access-"))
  }

  @Test func theAuthorityOfTheSettingsIsTakenForItsHost() throws {
    let name = "https://contoso.b2clogin.com/contoso.onmicrosoft.com"
    #expect(try read(Self.cache(), authority: name).entries.first?.key.authority == name)
    let other = "https://other.b2clogin.com/other.onmicrosoft.com"
    #expect(
      try read(Self.cache(), authority: other).entries.first?.key.authority
        == "https://contoso.b2clogin.com/\(Self.tenant)")
  }

  @Test func anEntraAccountHasNoPolicy() throws {
    let fields: [String: Any] = [
      "home_account_id": "\(Self.person).\(Self.tenant)", "environment": "login.microsoftonline.com",
      "client_id": Self.client, "secret": "refresh-2",
    ]
    let data = try JSONSerialization.data(withJSONObject: ["RefreshToken": ["r": fields]])
    let entry = try #require(try read(data).entries.first)
    #expect(entry.key.policy.isEmpty)
    #expect(entry.record.policyID == nil)
    #expect(entry.key.authority == "https://login.microsoftonline.com/\(Self.tenant)")
    #expect(entry.record.claims["oid"] == .string(Self.person))
    #expect(entry.record.signedInAt == Samples.date(60))
  }

  private static let visited = "cccccccc-0000-0000-0000-000000000003"

  /// A person of one tenant who has visited another as a guest; the refresh token has no tenant in the format.
  private static func guest(environment: String) throws -> Data {
    func entry(_ fields: [String: Any]) -> [String: Any] {
      [
        "home_account_id": "\(person).\(tenant)", "environment": environment, "client_id": client,
        "cached_at": "1767225600", "expires_on": "1767229200", "target": "User.Read",
      ].merging(fields) { _, new in new }
    }
    return try JSONSerialization.data(withJSONObject: [
      "AccessToken": [
        "a": entry(["secret": "access-home", "realm": tenant]),
        "b": entry(["secret": "access-visited", "realm": visited]),
      ],
      "RefreshToken": ["r": entry(["secret": "refresh"])],
      "IdToken": [
        "i": entry(["secret": "id-home", "realm": tenant]), "j": entry(["secret": "id-visited", "realm": visited]),
      ],
    ])
  }

  @Test(arguments: ["common", tenant])
  func tokensOfTwoTenantsAreNotMixed(_ path: String) throws {
    let authority = "https://login.microsoftonline.com/\(path)"
    let entries = try read(Self.guest(environment: "login.microsoftonline.com"), authority: authority).entries
    let tokens = Dictionary(uniqueKeysWithValues: entries.map { ($0.key.authority, $0.record) })
    #expect(Set(tokens.keys) == [authority, "https://login.microsoftonline.com/\(Self.visited)"])
    #expect(tokens[authority]?.accessTokens.map(\.token) == [Secret("access-home")])
    #expect(tokens[authority]?.idToken == Secret("id-home"))
    let other = tokens["https://login.microsoftonline.com/\(Self.visited)"]
    #expect(other?.accessTokens.map(\.token) == [Secret("access-visited")] && other?.idToken == Secret("id-visited"))
    #expect(entries.allSatisfy { $0.record.refreshToken == Secret("refresh") })
  }

  @Test func theTenantOfTheAuthorityIsTheOneItNames() throws {
    let authority = "https://login.microsoftonline.com/\(Self.visited)"
    let entries = try read(Self.guest(environment: "login.microsoftonline.com"), authority: authority).entries
    #expect(entries.first { $0.key.authority == authority }?.record.idToken == Secret("id-visited"))
  }

  // MSAL for .NET, Java and Apple's systems write the first, for Python the host that was asked.
  @Test(arguments: ["login.windows.net", "LOGIN.WINDOWS.NET", "login.microsoft.com", "sts.windows.net"])
  func otherNamesOfTheSameCloudAreTheSame(_ environment: String) throws {
    let made = try read(Self.guest(environment: environment)).entries.map(\.key.authority)
    #expect(Set(made) == Set([Self.tenant, Self.visited].map { "https://login.microsoftonline.com/\($0)" }))
    let authority = "https://login.microsoftonline.com/organizations"
    let given = try read(Self.guest(environment: environment), authority: authority).entries.map(\.key.authority)
    #expect(given.contains(authority))
  }

  @Test func eachPolicyOfAPersonIsARecordOfItsOwn() throws {
    func refresh(_ policy: String) -> [String: Any] {
      Self.entry(["home_account_id": "\(Self.person)-\(policy).\(Self.tenant)", "secret": "refresh-\(policy)"])
    }
    let data = try Self.cache(["RefreshToken": ["a": refresh("b2c_1_edit"), "b": refresh("b2c_1_signin")]])
    let imported = try read(data)
    #expect(Set(imported.entries.map(\.key.policy)) == ["b2c_1_edit", "b2c_1_signin", "b2c_1_todo.email_signin"])
    #expect(Set(imported.entries.map(\.key.accountID)) == ["\(Self.person).\(Self.tenant)"])
  }

  @Test(arguments: ["", "not json", "[]", "{}", #"{"AccessToken":[]}"#, "\u{1}\u{2}"])
  func otherDataIsRefused(_ text: String) {
    let error = #expect(throws: TokenCacheError.self) { try read(Data(text.utf8)) }
    #expect(error?.code == .damaged)
    #expect(error?.recoverySuggestion?.contains("serialize") == true)
  }

  @Test(arguments: [
    #"{"RefreshToken":{"a":1,"b":null,"c":{}}}"#,
    #"{"RefreshToken":{"a":{"home_account_id":"x","environment":"h","client_id":"c","secret":"s"}}}"#,
    #"{"RefreshToken":{"a":{"home_account_id":".t","environment":"h","client_id":"c","secret":"s"}}}"#,
    #"{"RefreshToken":{"a":{"home_account_id":"p.","environment":"h","client_id":"c","secret":"s"}}}"#,
    #"{"AccessToken":{"a":{"home_account_id":"p.t","environment":"h","client_id":"c","secret":"s"}}}"#,
  ])
  func entriesThatMakeNoSenseAreLeftOut(_ text: String) throws {
    #expect(try read(Data(text.utf8)).entries.isEmpty)
  }

  @Test func storingKeepsLaterSignIns() async throws {
    let cache = InMemoryTokenCache()
    let imported = try read(Self.cache())
    #expect(try await imported.store(in: cache) == 1)
    #expect(try await imported.store(in: cache) == 0)
    let key = try #require(imported.entries.first?.key)
    var later = Samples.record("later")
    later.signedInAt = Samples.date(1)
    await cache.store(later, for: key)
    #expect(try await imported.store(in: cache) == 0)
    #expect(await cache.record(for: key) == later)
  }
}
