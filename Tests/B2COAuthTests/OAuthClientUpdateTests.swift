import B2CCore
import B2CHTTP
import B2COAuth
import B2CTestKit
import B2CTokenCache
import Foundation
import TestSupport
import Testing

/// Opens what earlier versions have stored; `Tests/Stored/README.md` says where it comes from.
@Suite("An update of the package", .timeLimit(.minutes(10)))
struct OAuthClientUpdateTests {
  private static let stored = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "Stored")

  /// The versions that have left their stores.
  static let versions = ((try? FileManager.default.contentsOfDirectory(atPath: stored.path)) ?? [])
    .filter { !$0.hasSuffix(".md") }.sorted()

  private static let shapes: [String: LocalTenant.Shape] = [
    "b2c": .b2c, "entra": .entra, "ciam": .ciam, "openIDConnect": .openIDConnect,
  ]

  @Test("The stores of earlier versions are there")
  func storesOfEarlierVersions() {
    #expect(Self.versions.contains("0.2.0"))
  }

  @Test("signs no user out", arguments: versions, StoredTokens.Kind.allCases)
  func staysSignedIn(_ version: String, _ kind: StoredTokens.Kind) async throws {
    let directory = FileManager.default.temporaryDirectory.appending(path: "b2c-stored-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: directory) }
    let stores = try StoredTokens(copying: Self.stored.appending(path: version), to: directory)
    let signIns = try stores.signIns()
    #expect(signIns.count >= 5)
    for signIn in signIns { try await check(signIn, of: signIns, in: stores, kind) }
    // What this version has written is read by its next launch as well.
    #expect(try await stores.cache(kind).keys().count == signIns.count)
  }

  private func check(
    _ signIn: StoredTokens.SignIn, of all: [StoredTokens.SignIn], in stores: StoredTokens, _ kind: StoredTokens.Kind
  ) async throws {
    let fixture = Fixture(shape: try #require(Self.shapes[signIn.shape]), cache: try stores.cache(kind))
    let client = try fixture.client(policy: signIn.policyID)
    let accounts = try await client.accounts()
    #expect(Set(accounts.map(\.username)) == Set(all.filter { $0.shape == signIn.shape }.map(\.email)))
    let account = try #require(accounts.first { $0.id == signIn.accountID })
    #expect(account.hasSession && account.username == signIn.email)
    guard case .signedIn = try await client.session() else {
      Issue.record("\(signIn.shape) is signed out.")
      return
    }

    // The access token is served without a request.
    #expect(try await client.accessToken(account: account).token.value == signIn.accessToken)
    #expect(fixture.network.requestCount == 0)

    // The refresh token is sent when it is time, and the claims of the new id_token are taken over.
    try await accept(signIn, at: fixture)
    let index = try #require(fixture.tenant.users.firstIndex { $0.email == signIn.email })
    fixture.tenant.users[index].displayName = "Changed Later"
    await fixture.clock.advance(by: .seconds(4_000))
    let renewed = try await client.accessToken(account: account)
    #expect(renewed.token.value != signIn.accessToken)
    #expect(fixture.transport.tokenForms.compactMap { $0["refresh_token"] } == [signIn.refreshToken])
    #expect(try await client.account(id: account.id)?.name == "Changed Later")
    let relaunched = try fixture.client(policy: signIn.policyID, cache: try stores.cache(kind))
    #expect(try await relaunched.accessToken(account: account).token == renewed.token)
  }

  /// Has today's tenant take the refresh token that the tenant of then has issued.
  private func accept(_ signIn: StoredTokens.SignIn, at fixture: Fixture) async throws {
    let cache = InMemoryTokenCache()
    let user: LocalUser = signIn.email == LocalUser.bob.email ? .bob : .alice
    try await fixture.client(presenter: fixture.script(.signIn(user)), policy: signIn.policyID, cache: cache).signIn()
    let key = try #require(await cache.keys().first)
    let token = try #require(await cache.record(for: key)?.refreshToken?.value)
    let network = fixture.network
    fixture.transport.intercept { request in
      guard request.isTokenRequest, request.form["refresh_token"] == signIn.refreshToken else { return nil }
      var changed = request
      let body = String(decoding: request.body ?? Data(), as: UTF8.self)
      changed.body = Data(body.replacing(signIn.refreshToken, with: token).utf8)
      return try await network.send(changed)
    }
  }
}
