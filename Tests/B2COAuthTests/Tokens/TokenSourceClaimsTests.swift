import B2CAuthority
import B2CConnector
import B2CCore
import B2CTestKit
import Foundation
import TestSupport
import Testing

/// Claims are those of the last accepted id_token: what the server took away is gone.
@Suite("Claims after a refresh, and an edit", .hangLimit)
struct TokenSourceClaimsTests {
  @Test("A claim that the server took away is gone after a refresh", arguments: ["name", "emails", "roles"])
  func takenAway(_ name: String) async throws {
    let scene = Scene { $0.changeIDTokenClaims = { $0["roles"] = ["admin"] } }
    let connector = try scene.connector()
    #expect(try await connector.signIn().user.claims[name] != nil)
    scene.tenant.behavior.changeIDTokenClaims = { $0[name] = nil }
    await scene.clock.advance(by: .seconds(4_000))
    _ = try await connector.accessToken()
    #expect(try await connector.session.user?.claims[name] == nil)
  }

  @Test("What says how the user signed in is kept where a refresh does not repeat it")
  func keptFromSignIn() async throws {
    let kept: Set = ["nonce", "auth_time", "amr", "idp"]
    let scene = Scene {
      $0.changeIDTokenClaims = {
        $0["amr"] = ["pwd"]
        $0["idp"] = "facebook.com"
      }
    }
    let connector = try scene.connector()
    let before = try await connector.signIn().user.claims.filter { kept.contains($0.key) }
    #expect(Set(before.keys) == kept)
    scene.tenant.behavior.changeIDTokenClaims = { claims in kept.forEach { claims[$0] = nil } }
    await scene.clock.advance(by: .seconds(4_000))
    _ = try await connector.accessToken()
    #expect(try await connector.session.user?.claims.filter { kept.contains($0.key) } == before)
  }

  @Test("An edit token without emails takes none away")
  func editWithoutEmails() async throws {
    let scene = Scene()
    let presenter = scene.script(.signIn(.alice))
    let connector = try scene.connector(presenter: presenter)
    try await connector.signIn()
    scene.tenant.behavior.changeIDTokenClaims = { claims in
      if claims["tfp"]?.string == "B2C_1_EditProfile" { claims["emails"] = nil } else { claims["jobTitle"] = "Baker" }
    }
    presenter.follow(.editProfile(displayName: "Renamed"))
    try await connector.signIn(policy: Policy(id: "B2C_1_EditProfile", kind: .profileEdit))
    let user = try #require(try await connector.session.user)
    #expect(user.name == "Renamed")
    #expect(user.emails == [LocalUser.alice.email])
    #expect(user.policyID == Scene.signIn)
    #expect(user.claims["jobTitle"] == nil)
    // Those of the next refresh replace all.
    _ = try await connector.accessToken(forceRefresh: true)
    #expect(try await connector.session.user?.claims["jobTitle"] == "Baker")
  }
}
