import B2COAuth
import B2CTestKit
import Foundation
import TestSupport
import Testing

@Suite("The engine as a source of bearer tokens")
struct SilentTokenProviderTests {
  @Test("A token names its user, and its replacement is for the same user, also when another is current")
  func sameUser() async throws {
    let fixture = Fixture()
    let presenter = fixture.script(.signIn(.alice))
    let client = try fixture.client(presenter: presenter)
    let alice = try await client.signIn().user
    let provider = client.tokenProvider()
    let hers = try await provider.accessToken(replacing: nil)
    #expect(hers.userID == alice.id)
    presenter.clearCookies()
    presenter.follow(.signIn(.bob))
    let bob = try await client.signIn().user
    #expect(try await provider.accessToken(replacing: nil).userID == bob.id)
    let replacement = try await provider.accessToken(replacing: hers)
    #expect(replacement.userID == alice.id && replacement.token != hers.token)
    try await client.signOut(UserInfo(id: alice.id))
    await expectError(ConnectorError.self, .interactionRequired) { try await provider.accessToken(replacing: hers) }
    #expect(try await provider.accessToken(replacing: nil).userID == bob.id)
  }
}
