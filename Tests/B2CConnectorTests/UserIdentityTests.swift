import B2CConnector
import B2CCore
import B2CTestKit
import Foundation
import TestSupport
import Testing

/// Users, scopes, clients and policies whose texts only look the same, because Swift compares other texts than bytes.
@Suite("Identity", .hangLimit)
struct UserIdentityTests {
  // MARK: Users

  static let pairs: [(name: String, attacker: [String: JSONValue], victim: [String: JSONValue])] = [
    ("case", ["sub": "vICTIM42"], ["sub": "Victim42"]),
    ("a foreign oid", ["sub": "attacker-9", "oid": "victim-1"], ["sub": "victim-1"]),
    ("the Kelvin sign", ["sub": "\u{212A}im"], ["sub": "kim"]),
    ("another normal form", ["sub": "rene\u{301}"], ["sub": "ren\u{E9}"]),
    ("a moved dot", ["sub": "a", "tid": "b.c"], ["sub": "a.b", "tid": "c"]),
    ("an organization's oid", ["sub": "one", "oid": "acme"], ["sub": "two", "oid": "acme"]),
    ("an escaped text", ["sub": "ren%C3%A9"], ["sub": "ren\u{E9}"]),
    ("an issuer in the subject", ["sub": "x#y"], ["sub": "y"]),
  ]

  @Test("At a generic issuer two subjects are two users in either order", arguments: pairs.indices, [false, true])
  func twoUsers(_ index: Int, isReversed: Bool) async throws {
    let (name, attacker, victim) = Self.pairs[index]
    let claims = isReversed ? [victim, attacker] : [attacker, victim]
    let scene = Scene(shape: .openIDConnect) {
      $0.changeIDTokenClaims = { own in
        own.merge(claims[own["name"]?.string == LocalUser.alice.displayName ? 0 : 1]) { $1 }
      }
    }
    let stage = try await SignedInScene(scene, after: 0)
    let (connector, first, second) = (stage.connector, stage.alice, try await stage.signIn(.bob))
    #expect(!first.user.id.utf8.elementsEqual(second.user.id.utf8) && first.user.id != second.user.id, "\(name)")
    #expect(try await connector.users().map(\.name) == [LocalUser.bob.displayName, LocalUser.alice.displayName])
    for (user, result) in [(LocalUser.alice, first), (.bob, second)] {
      #expect(try await connector.accessToken(user: result.user).token == result.accessToken?.token)
      #expect(try await connector.user(id: result.user.id)?.name == user.displayName)
    }
    await scene.expire()
    #expect(try await connector.accessToken(user: first.user).userID == first.user.id)
    #expect(try await connector.users().count == 2)
  }

  @Test(
    "At Microsoft's authorities GUIDs that differ in case are one user",
    arguments: [LocalTenant.Shape.b2c, .entra, .ciam])
  func foldedGUIDs(_ shape: LocalTenant.Shape) async throws {
    let stage = try await SignedInScene(shape)
    stage.scene.tenant.behavior.changeIDTokenClaims = { claims in
      for name in ["oid", "tid"] { claims[name] = claims[name]?.string.map { .string($0.uppercased()) } }
    }
    let (first, second) = (stage.alice.user, try await stage.signIn().user)
    #expect(first.id == "\(LocalUser.alice.id).\(stage.scene.tenant.tenantID)" && second.id == first.id)
    #expect(try await stage.connector.users().count == 1)
    #expect(try await stage.connector.user(id: first.id.uppercased())?.id == first.id)
  }

  // MARK: Texts that Swift takes for the same

  static let twins = [("é", "e\u{301}"), ("K", "\u{212A}"), (";", "\u{37E}"), ("`", "\u{1FEF}"), ("Å", "\u{212B}")]

  @Test("Each of two scopes has its own token and its own requests", arguments: twins)
  func scopes(_ one: String, _ other: String) async throws {
    let tenant = LocalTenant(shape: .openIDConnect)
    let connector = try Connector.local(tenant)
    try await connector.signIn()
    async let first = connector.accessToken(scopes: ["api/" + one])
    async let second = connector.accessToken(scopes: ["api/" + other])
    let tokens = try await [first.token, second.token]
    #expect(tokens[0] != tokens[1] && tenant.counters.refreshes == 2)
    for (scope, token) in zip([one, other], tokens) {
      #expect(try await connector.accessToken(scopes: ["api/" + scope]).token == token)
    }
    async let third = connector.accessToken(claims: #"{"\#(one)":null}"#)
    async let fourth = connector.accessToken(claims: #"{"\#(other)":null}"#)
    #expect(try await third.token != fourth.token && tenant.counters.refreshes == 4)
  }

  @Test("A sign-in that one client began cannot be finished by the other", arguments: twins)
  func clients(_ one: String, _ other: String) async throws {
    let scene = Scene(shape: .openIDConnect, clientID: "app" + one)
    let connectors = try [one, other].map { name in
      try scene.connector(scene.settings { $0.clientID = "app" + name })
    }
    let pending = try await connectors[0].beginSignIn()
    let callback = try url(LocalTenant.standardRedirectURI + "?code=1")
    for (connector, code) in zip(connectors, [ErrorCode.invalidResponse, .configuration]) {
      await expectError(ConnectorError.self, code) { try await connector.finishSignIn(pending, callback: callback) }
    }
  }

  @Test("Each of two policies runs itself", arguments: twins.filter { !";`".contains($0.0) })
  func policies(_ one: String, _ other: String) async throws {
    let ids = ["B2C_1_" + one, "B2C_1_" + other]
    let connector = try Connector.local(LocalTenant(policies: ids.map { LocalPolicy($0, .signIn) }))
    for id in ids + ids {
      let user = try await connector.doPolicy(Policy(id))
      #expect(user.policyID.map { Array($0.utf8) } == Array(id.utf8))
    }
  }

  @Test("One user cannot sign in as the other", arguments: twins.filter { $0.0.utf8.allSatisfy { $0 < 0x80 } })
  func signInAs(_ one: String, _ other: String) async throws {
    let stage = try await SignedInScene(.openIDConnect, claims: ["sub": .string("user" + one)])
    let user = stage.alice.user
    #expect(user.id.hasSuffix("user" + one))
    var options = SignInOptions()
    options.user = UserInfo(id: user.id.replacing("user" + one, with: "user" + other))
    await expectError(ConnectorError.self, .wrongUser) { try await stage.connector.signIn(options: options) }
    options.user = user
    #expect(try await stage.connector.signIn(options: options).user.id == user.id)
  }
}
