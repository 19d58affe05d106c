import B2CConnector
import B2CIDToken
import B2CTestKit
import Foundation
import TestSupport

extension Row {
  static let idToken = Row(
    number: "9", title: "id_token validation, RS256, key ready, all claims",
    meaning: """
      A sign-in or a refresh checks the signature and all claims of its id_token, with a key that is ready. The \
      baseline is the hash and the RSA check of the same bytes.
      """
  ) { context in
    let key = try TestSigningKey()
    let keys = try JWKSet(json: try TestSigningKey.keySet([key]))
    let now = Date()
    let seconds = Int64(now.timeIntervalSince1970)
    let issuer = "https://contoso.b2clogin.com/22222222-2222-4222-8222-222222222222/v2.0/"
    let token = Secret(
      try key.token(claims: [
        "iss": .string(issuer), "sub": .string(Scene.userID(0)), "aud": .string(LocalTenant.standardClientID),
        "exp": .integer(seconds + 3_600), "nbf": .integer(seconds - 10), "iat": .integer(seconds - 10),
        "nonce": .string("n-0S6_WzA2Mj"), "tfp": .string(Scene.policyID), "name": .string("Alice Example"),
        "emails": .array([.string("alice@example.com")]), "ver": .string("1.0"), "auth_time": .integer(seconds - 20),
      ]))
    let expected = {
      var expected = IDTokenExpectations(
        clientID: LocalTenant.standardClientID, issuer: .exact(issuer), now: now, skew: .seconds(300))
      expected.nonce = Secret("n-0S6_WzA2Mj")
      expected.policy = Scene.policyID
      return expected
    }()
    let parsed = try IDToken(compact: token)
    let pairs = try await Pairs.compare(context, by: .processor) { count in
      for _ in 0..<count { try parsed.verifySignature(keys: keys, allowed: .microsoft) }
    } subject: { count in
      for _ in 0..<count {
        _ = try expected.verify(try IDToken(compact: token), keys: keys)
      }
    }
    return [
      Measurement("validation against hash and RSA alone", pairs, goal: 1.8),
      Measurement("validation, time", pairs.subject.median * 1e6, "µs"),
    ]
  }
}
