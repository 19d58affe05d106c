import B2CConnector
import B2CCore
import B2CTestKit
import Foundation
import TestSupport
import Testing

@Suite("Who a user is", .hangLimit)
struct UserIdentityTests {
  /// Claims of two people that have to stay two.
  struct Pair: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let attacker: [String: JSONValue]
    let victim: [String: JSONValue]
  }

  static let pairs: [Pair] = [
    Pair(testDescription: "case", attacker: ["sub": "vICTIM42"], victim: ["sub": "Victim42"]),
    Pair(
      testDescription: "a foreign oid", attacker: ["sub": "attacker-9", "oid": "victim-1"], victim: ["sub": "victim-1"]),
    Pair(testDescription: "the Kelvin sign", attacker: ["sub": "\u{212A}im"], victim: ["sub": "kim"]),
    Pair(testDescription: "another normal form", attacker: ["sub": "rene\u{301}"], victim: ["sub": "ren\u{E9}"]),
    Pair(
      testDescription: "a moved dot", attacker: ["sub": "a", "tid": "b.c"], victim: ["sub": "a.b", "tid": "c"]),
    Pair(
      testDescription: "an organization's oid", attacker: ["sub": "one", "oid": "acme"],
      victim: ["sub": "two", "oid": "acme"]),
    Pair(testDescription: "an escaped text", attacker: ["sub": "ren%C3%A9"], victim: ["sub": "ren\u{E9}"]),
    Pair(testDescription: "an issuer in the subject", attacker: ["sub": "x#y"], victim: ["sub": "y"]),
  ]

  /// A generic issuer at which Alice has the first claims and Bob the second.
  private func scene(_ alice: [String: JSONValue], _ bob: [String: JSONValue]) -> Scene {
    Scene(shape: .openIDConnect) {
      $0.changeIDTokenClaims = { claims in
        let own = claims["name"]?.string == LocalUser.alice.displayName ? alice : bob
        claims.merge(own) { _, new in new }
      }
    }
  }

  @Test("At a generic issuer two subjects are two users in either order", arguments: pairs, [false, true])
  func twoUsers(_ pair: Pair, isReversed: Bool) async throws {
    let scene = isReversed ? scene(pair.victim, pair.attacker) : scene(pair.attacker, pair.victim)
    let presenter = scene.script(.signIn(.alice))
    let connector = try scene.connector(presenter: presenter)
    let first = try await connector.signIn()
    await scene.clock.advance(by: .seconds(1))
    presenter.clearCookies()
    presenter.follow(.signIn(.bob))
    let second = try await connector.signIn()
    #expect(!first.user.id.utf8.elementsEqual(second.user.id.utf8))
    #expect(first.user.id != second.user.id)
    #expect(try await connector.users().map(\.name) == [LocalUser.bob.displayName, LocalUser.alice.displayName])
    #expect(try await connector.accessToken(user: first.user).token == first.accessToken?.token)
    #expect(try await connector.accessToken(user: second.user).token == second.accessToken?.token)
    #expect(try await connector.user(id: first.user.id)?.name == LocalUser.alice.displayName)
    #expect(try await connector.user(id: second.user.id)?.name == LocalUser.bob.displayName)
    // Each refresh goes on as the person it belongs to.
    await scene.clock.advance(by: .seconds(4_000))
    #expect(try await connector.accessToken(user: first.user).userID == first.user.id)
    #expect(try await connector.users().count == 2)
  }

  @Test(
    "At Microsoft's authorities GUIDs are one whatever their case", arguments: [LocalTenant.Shape.b2c, .entra, .ciam])
  func foldedGUIDs(_ shape: LocalTenant.Shape) async throws {
    let isUpper = Locked(false)
    let scene = Scene(shape: shape) {
      $0.changeIDTokenClaims = { claims in
        guard isUpper.withLock({ $0 }) else { return }
        for name in ["oid", "tid"] { claims[name] = claims[name]?.string.map { .string($0.uppercased()) } }
      }
    }
    let connector = try scene.connector()
    let first = try await connector.signIn()
    isUpper.withLock { $0 = true }
    let second = try await connector.signIn(options: SignInOptions(prompt: .login))
    #expect(first.user.id == "\(LocalUser.alice.id).\(scene.tenant.tenantID)")
    #expect(second.user.id == first.user.id)
    #expect(try await connector.users().count == 1)
    #expect(try await connector.user(id: first.user.id.uppercased())?.id == first.user.id)
  }
}
