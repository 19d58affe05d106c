import B2CConnector
import B2CCore
import B2CIDToken
import B2CTestKit
import Foundation
import TestSupport
import Testing

struct TestSigningKeyTests {
  static let algorithms: [JWSAlgorithm] = [.rs256, .es256, .es384, .es512, .edDSA]

  @Test(arguments: algorithms)
  func signsWhatItVerifies(algorithm: JWSAlgorithm) throws {
    let key = try TestSigningKey.any(algorithm, id: "key-1")
    let token = try key.token(claims: ["sub": .string("1")])
    #expect(key.verifies(token))
    #expect(TokenAnswer.part(0, of: token)["alg"] == .string(algorithm.rawValue))
    #expect(TokenAnswer.part(0, of: token)["kid"] == .string("key-1"))
    #expect(TokenAnswer.claims(token) == ["sub": .string("1")])
  }

  @Test(arguments: algorithms)
  func refusesAChangedTokenAndAForeignKey(algorithm: JWSAlgorithm) throws {
    let key = try TestSigningKey.any(algorithm)
    let token = try key.token(claims: ["sub": .string("1")])
    var parts = token.split(separator: ".").map(String.init)
    parts[1] = Base64URL.encode(Data(#"{"sub":"2"}"#.utf8))
    #expect(!key.verifies(parts.joined(separator: ".")))
    #expect(!(try TestSigningKey.any(algorithm, id: key.id)).verifies(token))
  }

  @Test(arguments: [
    (JWSAlgorithm.rs256, "RSA", String?.none), (.es256, "EC", "P-256"), (.es384, "EC", "P-384"),
    (.es512, "EC", "P-521"), (.edDSA, "OKP", "Ed25519"),
  ])
  func jwkNamesKindAndCurveAndNothingPrivate(algorithm: JWSAlgorithm, kind: String, curve: String?) throws {
    let jwk = try TestSigningKey.any(algorithm, id: "k").jwk
    #expect(jwk["kty"] == .string(kind))
    #expect(jwk["crv"]?.string == curve)
    #expect(jwk["kid"] == .string("k"))
    #expect(jwk["use"] == .string("sig"))
    #expect(Set(jwk.keys).isDisjoint(with: ["d", "p", "q", "dp", "dq", "qi", "k"]))
  }

  @Test func headerMembersCanBeReplacedAndLeftOut() throws {
    let key = try TestSigningKey.any(.es256)
    let token = try key.token(claims: [:], header: ["kid": .null, "alg": .string("HS256")])
    #expect(TokenAnswer.part(0, of: token)["kid"] == nil)
    #expect(TokenAnswer.part(0, of: token)["alg"] == .string("HS256"))
    #expect(!key.verifies(token))
  }
}
