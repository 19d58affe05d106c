import B2CCore
import B2CIDToken
import Foundation
import Testing

@Suite("The claims of an id_token")
struct IDTokenClaimsTests {
  @Test("of the sign-in are what a refresh is compared with")
  func previous() throws {
    let claims = try IDTokenScene().verify()
    let previous = PreviousIdentity(claims.all)
    #expect(previous.issuer == claims.issuer)
    #expect(previous.subject == claims.subject)
    #expect(previous.audience == claims.audience)
    #expect(PreviousIdentity([:]) == PreviousIdentity())
  }
}
