import B2CCore
import B2COAuth
import Foundation
import Testing

@Suite("The claims of an id_token")
struct IDTokenClaimsTests {
  @Test("have names for what Azure AD B2C and Entra ID send")
  func named() throws {
    var scene = try IDTokenScene()
    scene.payload["tid"] = "\"\(IDTokenScene.tenantID)\""
    scene.payload["given_name"] = "\"Ada\""
    scene.payload["family_name"] = "\"Lovelace\""
    scene.payload["email"] = "\"lovelace@example.com\""
    scene.payload["preferred_username"] = "\"ada\""
    scene.payload["idp"] = "\"facebook.com\""
    scene.payload["newUser"] = "true"
    scene.payload["azp"] = "\"\(IDTokenScene.clientID)\""
    let claims = try scene.verify()
    #expect(claims.tenantID == IDTokenScene.tenantID)
    #expect(claims.givenName == "Ada")
    #expect(claims.familyName == "Lovelace")
    #expect(claims.emails == ["ada@example.com", "lovelace@example.com"])
    #expect(claims.preferredUsername == "ada")
    #expect(claims.identityProvider == "facebook.com")
    #expect(claims.isNewUser)
    #expect(claims.authorizedParty == IDTokenScene.clientID)
  }

  @Test("are absent where the token has none")
  func absent() throws {
    var scene = try IDTokenScene()
    for name in ["name", "emails", "oid", "nonce", "tfp", "auth_time"] {
      scene.payload[name] = nil
    }
    scene.expectations.nonce = nil
    scene.expectations.policy = nil
    let claims = try scene.verify()
    #expect(claims.name == nil)
    #expect(claims.emails.isEmpty)
    #expect(claims.objectID == nil)
    #expect(claims.tenantID == nil)
    #expect(claims.policy == nil)
    #expect(claims.nonce == nil)
    #expect(claims.authenticationTime == nil)
    #expect(!claims.isNewUser)
  }

  @Test("come back from a store as they went in")
  func stored() throws {
    let claims = try IDTokenScene().verify()
    let json = try JSONEncoder().encode(claims.all)
    let stored = try JSONDecoder().decode([String: JSONValue].self, from: json)
    #expect(IDTokenClaims(verifiedBefore: stored) == claims)
    #expect(IDTokenClaims(verifiedBefore: stored.filter { $0.key != "sub" }) == nil)
    #expect(IDTokenClaims(verifiedBefore: [:]) == nil)
  }

  @Test("of the sign-in are what a refresh is compared with")
  func previous() throws {
    let claims = try IDTokenScene().verify()
    let previous = PreviousIdentity(claims.all)
    #expect(previous.issuer == claims.issuer)
    #expect(previous.subject == claims.subject)
    #expect(previous.audience == claims.audience)
    #expect(previous.authenticationTime == claims.authenticationTime)
    #expect(previous.nonce == Secret("n-0S6_WzA2Mj"))
    #expect(PreviousIdentity([:]) == PreviousIdentity())
  }
}
