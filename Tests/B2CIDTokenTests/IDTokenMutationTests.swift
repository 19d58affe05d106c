import B2CCore
import B2CIDToken
import Foundation
import TestSupport
import Testing

@Suite("An id_token changed at random")
struct IDTokenMutationTests {
  @Test("is refused, whichever letter it was")
  func everyLetter() throws {
    let scene = try IDTokenScene()
    let compact = Array(try scene.compact().utf8)
    let letters = Array("ABab01-_.=+/ \u{0}".utf8)
    var numbers = SplitMix64(seed: 1)
    let survivors = compact.indices.filter { index in
      var forged = compact
      repeat { forged[index] = letters.randomElement(using: &numbers) ?? 0 } while forged[index] == compact[index]
      return (try? scene.verify(String(decoding: forged, as: UTF8.self))) != nil
    }
    #expect(compact.count > 700 && survivors == [])
  }

  @Test("and so is a key set: it verifies what an unchanged key has signed, and nothing else")
  func keySets() throws {
    let scene = try IDTokenScene()
    let token = try IDToken(compact: Secret(try scene.compact()))
    let original = Array("{\"keys\":[\(IDTokenSigner.p256.entry()),\(scene.signer.entry())]}".utf8)
    let signer = try #require(try entries(original)?.last)
    var numbers = SplitMix64(seed: 3)
    var (readable, verifying) = (0, 0)
    for _ in 0..<500 {
      var text = original
      let index = Int.random(in: 0..<text.count, using: &numbers)
      text[index] = UInt8.random(in: 0x20...0x7E, using: &numbers)
      guard let set = try? JWKSet(json: Data(text)) else { continue }
      readable += 1
      // It is read as Foundation reads it, or not at all.
      let expected = try #require(try entries(text))
      let known = expected.filter { ["RSA", "EC", "OKP"].contains($0["kty"]?.string) }
      #expect(set.keys.map(\.keyID) == known.map { $0["kid"]?.string })
      let isVerified = (try? scene.expectations.verify(token, keys: set)) != nil
      let isUnchanged = expected.contains { entry in
        // A key without an id may be any key.
        ["kty", "n", "e"].allSatisfy { entry[$0] == signer[$0] } && [nil, signer["kid"]].contains(entry["kid"])
      }
      #expect(isVerified == isUnchanged, "\(String(decoding: text, as: UTF8.self))")
      if isVerified { verifying += 1 }
    }
    #expect(readable > 300 && verifying > 50 && verifying < readable)
  }

  /// The entries of a key set as Foundation reads them; `nil` when there is no list of them.
  private func entries(_ text: [UInt8]) throws -> [[String: JSONValue]]? {
    try JSONDecoder().decode(JSONValue.self, from: Data(text)).object?["keys"]?.array?.compactMap(\.object)
  }
}
