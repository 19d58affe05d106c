import B2CAuthority
import B2CCore
import B2COAuth
import B2CTestKit
import B2CTokenCache
import Foundation
import TestSupport

/// Writes the token stores of this version, for `OAuthClientUpdateTests` of every later one.
///
/// `Tests/Stored/README.md` says when to run it.
struct StoredTokensWriter: ProofCommand {
  static let name = "stored-tokens"
  static let summary = "<directory>: writes what this version keeps on a device, as test data for later ones"

  private struct Person {
    let shape: LocalTenant.Shape
    let shapeName: String
    var policyID: String?
    let user: LocalUser
  }

  private static let people = [
    Person(shape: .b2c, shapeName: "b2c", policyID: "B2C_1_SignIn", user: .alice),
    Person(shape: .b2c, shapeName: "b2c", policyID: "B2C_1_SignUpOrSignIn", user: .bob),
    Person(shape: .entra, shapeName: "entra", user: .alice),
    Person(shape: .ciam, shapeName: "ciam", user: .alice),
    Person(shape: .openIDConnect, shapeName: "openIDConnect", user: .alice),
  ]

  static func run(_ options: ProofOptions) async throws -> Bool {
    let directory = URL(filePath: try options.value(0, "the directory"), directoryHint: .isDirectory)
    guard !FileManager.default.fileExists(atPath: directory.path) else {
      throw ProofError("\(directory.path) is there already: what a version has written is not changed")
    }
    try FileManager.default.createDirectory(
      at: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    let stores = try StoredTokens(directory)
    var signIns: [StoredTokens.SignIn] = []
    for person in people {
      // A day in the past, so that a test starts its clock there.
      let clock = TestClock()
      let memory = InMemoryTokenCache()
      let result = try await signIn(person, clock, memory)
      for key in await memory.keys() {
        guard let record = await memory.record(for: key), let refreshToken = record.refreshToken?.value,
          let accessToken = result.accessToken?.token.value
        else { throw ProofError("\(person.shapeName) gave no tokens") }
        for kind in StoredTokens.Kind.allCases { try await stores.cache(kind).store(record, for: key) }
        signIns.append(
          StoredTokens.SignIn(
            shape: person.shapeName, policyID: person.policyID, email: person.user.email,
            accountID: result.account.id, accessToken: accessToken, refreshToken: refreshToken))
      }
    }
    try stores.save(signIns)
    print("\(signIns.count) sign-ins in each of \(StoredTokens.Kind.allCases.count) stores: \(directory.path)")
    return signIns.count == people.count
  }

  private static func signIn(
    _ person: Person, _ clock: TestClock, _ cache: InMemoryTokenCache
  ) async throws -> SignInResult {
    let tenant = LocalTenant(shape: person.shape, now: { clock.date })
    let network = LocalNetwork(tenant, clock: clock)
    let kind: Authority.Kind? =
      switch person.shape {
      case .b2c: nil
      case .entra: .entra
      case .ciam: .ciam
      case .openIDConnect: .openIDConnect
      }
    guard let redirectURI = URL(string: LocalTenant.standardRedirectURI) else { throw ProofError("no redirect URI") }
    var configuration = OAuthConfiguration(
      authority: try Authority(tenant.authority(), kind: kind), clientID: tenant.clientID, redirectURI: redirectURI,
      scopes: tenant.apiScopes)
    configuration.defaultPolicy = try person.policyID.map { try Policy($0) }
    let presenter = ScriptedPresenter(transport: network, .signIn(person.user))
    let client = try OAuthClient(
      configuration: configuration,
      environment: OAuthEnvironment(
        presenter: presenter, cache: cache, transport: network, clock: clock, now: { clock.date }))
    return try await client.signIn()
  }
}
