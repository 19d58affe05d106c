import B2CCore
import B2CIDToken
import B2CTestKit
import Foundation
import TestSupport
import Testing

struct TestSigningKeyTests {
  static let algorithms: [(JWSAlgorithm, String, curve: String?)] = [
    (.rs256, "RSA", nil), (.es256, "EC", "P-256"), (.es384, "EC", "P-384"), (.es512, "EC", "P-521"),
    (.edDSA, "OKP", "Ed25519"),
  ]

  @Test("A key verifies what it has signed, and neither a changed token nor another key's", arguments: algorithms)
  func signing(_ algorithm: JWSAlgorithm, _ kind: String, _ curve: String?) throws {
    let key = try TestSigningKey.any(algorithm, id: "key-1")
    let token = try key.token(claims: ["sub": .string("1")])
    #expect(key.verifies(token))
    #expect(TokenAnswer.part(0, of: token)["alg"] == .string(algorithm.rawValue))
    #expect(TokenAnswer.part(0, of: token)["kid"] == .string("key-1"))
    #expect(TokenAnswer.part(1, of: token) == ["sub": .string("1")])
    var parts = token.split(separator: ".").map(String.init)
    parts[1] = Base64URL.encode(Data(#"{"sub":"2"}"#.utf8))
    #expect(!key.verifies(parts.joined(separator: ".")))
    #expect(!(try TestSigningKey.any(algorithm, id: key.id)).verifies(token))
  }

  @Test("A published key names its kind and curve, and nothing private", arguments: algorithms)
  func publicKey(_ algorithm: JWSAlgorithm, _ kind: String, _ curve: String?) throws {
    let jwk = try TestSigningKey.any(algorithm, id: "k").jwk
    #expect(jwk["kty"] == .string(kind) && jwk["crv"]?.string == curve)
    #expect(jwk["kid"] == .string("k") && jwk["use"] == .string("sig"))
    #expect(Set(jwk.keys).isDisjoint(with: ["d", "p", "q", "dp", "dq", "qi", "k"]))
  }

  @Test("Members of the header can be replaced and left out")
  func header() throws {
    let key = try TestSigningKey.any(.es256)
    let token = try key.token(claims: [:], header: ["kid": .null, "alg": .string("HS256")])
    #expect(TokenAnswer.part(0, of: token)["kid"] == nil)
    #expect(TokenAnswer.part(0, of: token)["alg"] == .string("HS256"))
    #expect(!key.verifies(token))
  }
}
