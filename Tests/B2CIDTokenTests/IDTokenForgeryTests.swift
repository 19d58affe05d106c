import B2CCore
import B2CIDToken
import Foundation
import Testing

@Suite("A forged or misdirected id_token")
struct IDTokenForgeryTests {
  @Test("is refused by the rule it breaks, in words without anything secret", arguments: IDTokenForgery.all)
  func refused(_ forgery: IDTokenForgery) throws {
    var scene = try IDTokenScene()
    try forgery.apply(&scene)
    let compact = try scene.compact()
    let error = try #require(throws: ConnectorError.self) { try scene.verify(compact) }
    #expect(error.message.contains(forgery.fault) && error.message.utf8.count < 300, "\(error.message)")
    for secret in compact.split(separator: ".").map(String.init) + ["n-0S6_WzA2Mj", "884408e1"] where secret.count > 7 {
      #expect(!"\(error)".contains(secret))
    }
  }

  @Test("makes new keys worth fetching only where they could help")
  func staleKeys() throws {
    func mayHaveStaleKeys(_ apply: (inout IDTokenScene) throws -> Void) throws -> Bool {
      var scene = try IDTokenScene()
      try apply(&scene)
      let rejection = #expect(throws: ConnectorError.self) { try scene.verify() }
      return try #require(rejection).isRetryable
    }
    let other = try IDTokenSigner.otherRSA.get()
    #expect(try mayHaveStaleKeys { $0.header["kid"] = "\"rolled\"" })
    #expect(try mayHaveStaleKeys { $0.keys = [] })
    #expect(
      try mayHaveStaleKeys {
        $0.header["kid"] = nil
        $0.keys = [other.entry()]
      })
    #expect(
      try mayHaveStaleKeys {
        $0.header["kid"] = nil
        $0.keys = [IDTokenSigner.p256.entry()]
      })
    #expect(try !mayHaveStaleKeys { $0.keys = [other.withKeyID("rsa").entry()] })
    #expect(try !mayHaveStaleKeys { $0.payload["exp"] = "1" })
  }
}
