import B2CAuthority
import B2CCore
import B2COAuth
import B2CTestKit
import Foundation
import TestSupport
import Testing

/// Claims are those of the last verified id_token of the policy: what the server took away is gone.
@Suite("Claims after a refresh, an edit and a second policy", .timeLimit(.minutes(10)))
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

  @Test(
    "An edit token without emails takes none away, whether or not the refresh after it works", arguments: [true, false])
  func editWithoutEmails(refreshWorks: Bool) async throws {
    let fixture = Fixture()
    let presenter = fixture.script(.signIn(.alice))
    let client = try fixture.client(presenter: presenter)
    try await client.signIn()
    fixture.tenant.behavior.changeIDTokenClaims = { claims in
      if claims["tfp"]?.string == "B2C_1_EditProfile" { claims["emails"] = nil } else { claims["jobTitle"] = "Baker" }
    }
    if !refreshWorks { fixture.transport.answerTokens(503, "", grant: "refresh_token") }
    presenter.follow(.editProfile(displayName: "Renamed"))
    try await client.signIn(policy: Policy(id: "B2C_1_EditProfile", kind: .profileEdit))
    let user = try #require(try await client.currentUser())
    #expect(user.name == "Renamed")
    #expect(user.emails == [LocalUser.alice.email])
    #expect(user.policyID == Fixture.signIn)
    // What only the refreshed id_token has.
    #expect((user.claims["jobTitle"] == "Baker") == refreshWorks)
  }

  @Test("An event says that the claims of a refresh were not taken over, and why")
  func eventOfRefusedClaims() async throws {
    let fixture = Fixture()
    let client = try fixture.client()
    try await client.signIn()
    fixture.tenant.behavior.signIDTokens(.foreignKey)
    await fixture.clock.advance(by: .seconds(4_000))
    _ = try await client.accessToken()
    #expect(try await client.currentUser()?.name == LocalUser.alice.displayName)
    let event = try #require(fixture.events.values.first { $0.kind == .claimsNotUpdated })
    #expect(event.errorCode == .invalidResponse)
    #expect(event.reason?.contains("signature") == true)
    #expect(event.description.contains("signature"))
  }
}
