import B2CCore
import B2CIDToken
import Foundation
import TestSupport
import Testing

@Suite("Published JOSE vectors")
struct IDTokenVerifierVectorsTests {
  struct Vector: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let token: String
    let keys: String
    let algorithm: JWSAlgorithm
  }

  static let signed = [
    Vector(
      testDescription: "RFC 7515 A.2 RS256", token: JOSEVectors.rs256, keys: JOSEVectors.rs256Keys, algorithm: .rs256),
    Vector(
      testDescription: "RFC 7515 A.3 ES256", token: JOSEVectors.es256, keys: JOSEVectors.es256Keys, algorithm: .es256),
    Vector(
      testDescription: "RFC 7515 A.4 ES512", token: JOSEVectors.es512, keys: JOSEVectors.es512Keys, algorithm: .es512),
    Vector(
      testDescription: "RFC 7520 4.1 RS256", token: JOSEVectors.cookbookRS256, keys: JOSEVectors.cookbookRSAKeys,
      algorithm: .rs256),
    Vector(
      testDescription: "RFC 7520 4.2 PS384", token: JOSEVectors.cookbookPS384, keys: JOSEVectors.cookbookRSAKeys,
      algorithm: .ps384),
    Vector(
      testDescription: "RFC 7520 4.3 ES512", token: JOSEVectors.cookbookES512, keys: JOSEVectors.cookbookECKeys,
      algorithm: .es512),
    Vector(
      testDescription: "RFC 8037 A.4 EdDSA", token: JOSEVectors.ed25519, keys: JOSEVectors.ed25519Keys,
      algorithm: .edDSA),
  ]

  @Test("A published signature is good", arguments: signed)
  func signature(_ vector: Vector) throws {
    let token = try IDToken(compact: Secret(vector.token))
    let keys = try JWKSet(json: Data(vector.keys.utf8))
    #expect(token.algorithm == vector.algorithm)
    #expect(throws: Never.self) {
      try token.verifySignature(keys: keys, allowed: [vector.algorithm])
    }
  }

  @Test("It is good for no other payload", arguments: signed)
  func changedPayload(_ vector: Vector) throws {
    var parts = vector.token.split(separator: ".").map(String.init)
    parts[1] = Base64URL.encode(Data("{\"iss\":\"mallory\"}".utf8))
    let token = try IDToken(compact: Secret(parts.joined(separator: ".")))
    let keys = try JWKSet(json: Data(vector.keys.utf8))
    let rejection = #expect(throws: ConnectorError.self) {
      try token.verifySignature(keys: keys, allowed: [vector.algorithm])
    }
    #expect(rejection?.message.contains("its signature is not") == true)
  }

  @Test("An algorithm that is not on the list is refused, good as the signature may be", arguments: signed)
  func listedAlgorithmsOnly(_ vector: Vector) throws {
    let token = try IDToken(compact: Secret(vector.token))
    let keys = try JWKSet(json: Data(vector.keys.utf8))
    let others = Set<JWSAlgorithm>.openIDConnect.subtracting([vector.algorithm])
    let rejection = #expect(throws: ConnectorError.self) {
      try token.verifySignature(keys: keys, allowed: others)
    }
    #expect(rejection?.message.contains(" alg") == true)
  }

  @Test(
    "HMAC (RFC 7515 A.1) and no signature (A.5) are refused even by a list that names them",
    arguments: [JOSEVectors.hs256, JOSEVectors.unsecured])
  func neverAllowed(_ compact: String) throws {
    let token = try IDToken(compact: Secret(compact))
    let keys = try JWKSet(json: Data(JOSEVectors.rs256Keys.utf8))
    let rejection = #expect(throws: ConnectorError.self) {
      try token.verifySignature(keys: keys, allowed: [token.algorithm])
    }
    #expect(rejection?.message.contains(" alg") == true)
  }

  @Test("An encrypted token (RFC 7519 A.1) is refused as such")
  func encrypted() {
    let rejection = #expect(throws: ConnectorError.self) { try IDToken(compact: Secret(JOSEVectors.encrypted)) }
    #expect(rejection?.message.contains("encrypted token") == true)
  }

  @Test("Of the keys of RFC 7517 A.1 the one for encryption is not used")
  func publicKeys() throws {
    let keys = try JWKSet(json: Data(JOSEVectors.publicKeys.utf8)).keys
    #expect(keys.map(\.keyID) == ["1", "2011-04-29"])
    #expect(keys.map { $0.canVerify(anyOf: .openIDConnect) } == [false, true])
    #expect(keys.map(\.algorithm) == [nil, .rs256])
  }
}
