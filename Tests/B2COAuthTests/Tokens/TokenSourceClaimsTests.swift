import B2CAuthority
import B2CCore
import B2COAuth
import B2CTestKit
import Foundation
import TestSupport
import Testing

/// Claims are those of the last accepted id_token: what the server took away is gone.
@Suite("Claims after a refresh, and an edit", .hangLimit)
struct TokenSourceClaimsTests {
  @Test("A claim that the server took away is gone after a refresh", arguments: ["name", "emails", "roles"])
  func takenAway(_ name: String) async throws {
    let fixture = Fixture { $0.changeIDTokenClaims = { $0["roles"] = ["admin"] } }
    let client = try fixture.client()
    #expect(try await client.signIn().user.claims[name] != nil)
    fixture.tenant.behavior.changeIDTokenClaims = { $0[name] = nil }
    await fixture.clock.advance(by: .seconds(4_000))
    _ = try await client.accessToken()
    #expect(try await client.currentUser()?.claims[name] == nil)
  }

  @Test("What says how the user signed in is kept where a refresh does not repeat it")
  func keptFromSignIn() async throws {
    let kept: Set = ["nonce", "auth_time", "amr", "idp"]
    let fixture = Fixture {
      $0.changeIDTokenClaims = {
        $0["amr"] = ["pwd"]
        $0["idp"] = "facebook.com"
      }
    }
    let client = try fixture.client()
    let before = try await client.signIn().user.claims.filter { kept.contains($0.key) }
    #expect(Set(before.keys) == kept)
    fixture.tenant.behavior.changeIDTokenClaims = { claims in kept.forEach { claims[$0] = nil } }
    await fixture.clock.advance(by: .seconds(4_000))
    _ = try await client.accessToken()
    #expect(try await client.currentUser()?.claims.filter { kept.contains($0.key) } == before)
  }

  @Test("An edit token without emails takes none away")
  func editWithoutEmails() async throws {
    let (fixture, presenter, client) = try Fixture().scripted()
    try await client.signIn()
    fixture.tenant.behavior.changeIDTokenClaims = { claims in
      if claims["tfp"]?.string == "B2C_1_EditProfile" { claims["emails"] = nil } else { claims["jobTitle"] = "Baker" }
    }
    presenter.follow(.editProfile(displayName: "Renamed"))
    try await client.signIn(policy: Policy(id: "B2C_1_EditProfile", kind: .profileEdit))
    let user = try #require(try await client.currentUser())
    #expect(user.name == "Renamed")
    #expect(user.emails == [LocalUser.alice.email])
    #expect(user.policyID == Fixture.signIn)
    #expect(user.claims["jobTitle"] == nil)
    // Those of the next refresh replace all.
    _ = try await client.accessToken(forceRefresh: true)
    #expect(try await client.currentUser()?.claims["jobTitle"] == "Baker")
  }
}
