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

    init(_ testDescription: String, _ token: String, _ keys: String, _ algorithm: JWSAlgorithm) {
      (self.testDescription, self.token, self.keys, self.algorithm) = (testDescription, token, keys, algorithm)
    }
  }

  static let signed = [
    Vector("RFC 7515 A.2 RS256", JOSEVectors.rs256, JOSEVectors.rs256Keys, .rs256),
    Vector("RFC 7515 A.3 ES256", JOSEVectors.es256, JOSEVectors.es256Keys, .es256),
    Vector("RFC 7515 A.4 ES512", JOSEVectors.es512, JOSEVectors.es512Keys, .es512),
    Vector("RFC 7520 4.1 RS256", JOSEVectors.cookbookRS256, JOSEVectors.cookbookRSAKeys, .rs256),
    Vector("RFC 7520 4.2 PS384", JOSEVectors.cookbookPS384, JOSEVectors.cookbookRSAKeys, .ps384),
    Vector("RFC 7520 4.3 ES512", JOSEVectors.cookbookES512, JOSEVectors.cookbookECKeys, .es512),
    Vector("RFC 8037 A.4 EdDSA", JOSEVectors.ed25519, JOSEVectors.ed25519Keys, .edDSA),
  ]

  @Test("A published signature is good by its algorithm for its payload, and for nothing else", arguments: signed)
  func signature(_ vector: Vector) throws {
    let token = try IDToken(compact: Secret(vector.token))
    let keys = try JWKSet(json: Data(vector.keys.utf8))
    #expect(token.algorithm == vector.algorithm)
    #expect(throws: Never.self) { try token.verifySignature(keys: keys, allowed: [vector.algorithm]) }

    let others = Set<JWSAlgorithm>.openIDConnect.subtracting([vector.algorithm])
    let unlisted = #expect(throws: ConnectorError.self) { try token.verifySignature(keys: keys, allowed: others) }
    #expect(unlisted?.message.contains(" alg") == true)

    var parts = vector.token.split(separator: ".").map(String.init)
    parts[1] = Base64URL.encode(Data("{\"iss\":\"mallory\"}".utf8))
    let changed = try IDToken(compact: Secret(parts.joined(separator: ".")))
    let forged = #expect(throws: ConnectorError.self) {
      try changed.verifySignature(keys: keys, allowed: [vector.algorithm])
    }
    #expect(forged?.message.contains("its signature is not") == true)
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
