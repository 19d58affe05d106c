import B2CCore
import B2CIDToken
import Foundation
import Testing

@Suite("A good id_token")
struct IDTokenVerifierTests {
  @Test("gives its claims as Foundation reads them")
  func claims() throws {
    let scene = try IDTokenScene()
    let claims = try scene.verify()
    #expect(claims["name"] == "Ada Løvelace" && claims.count == 13)
    #expect(try claims == JSONDecoder().decode([String: JSONValue].self, from: Data(scene.payload.text.utf8)))
  }

  @Test(
    "may be signed by any algorithm of a generic issuer that is allowed",
    arguments: [
      "RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA", "Ed25519",
    ])
  func algorithm(_ name: String) throws {
    var scene = try IDTokenScene()
    scene.use(try IDTokenSigner.any(name), name)
    #expect(try scene.verify()["name"] == "Ada Løvelace")
  }

  private static let now = IDTokenScene.now

  static let varieties: [IDTokenChange] = [
    IDTokenChange("without kid: every fitting key is tried") {
      $0.header["kid"] = nil
      $0.keys = [try IDTokenSigner.otherRSA.get().entry(), IDTokenSigner.p256.entry(), $0.signer.entry()]
    },
    IDTokenChange("with a kid, where the key has none") { $0.keys = [$0.signer.withKeyID(nil).entry()] },
    IDTokenChange("with two keys of one kid") {
      $0.keys = [try IDTokenSigner.otherRSA.get().withKeyID("rsa").entry(), $0.signer.entry()]
    },
    IDTokenChange("with key fields alg, use and key_ops") {
      $0.keys = [$0.signer.entry(#""alg":"RS256","use":"sig","key_ops":["verify"]"#)]
    },
    IDTokenChange("without typ") { $0.header["typ"] = nil },
    IDTokenChange("with typ in lower case") { $0.header["typ"] = json("jwt") },
    IDTokenChange("with the whole media type as typ") { $0.header["typ"] = json("application/JWT") },
    IDTokenChange("with unknown header fields") { $0.header["x5t"] = json("abc") },
    .claims("with times as texts", ["exp": json("\(now + 3600)"), "nbf": json("\(now)"), "iat": json("\(now).5")]),
    .claims("with times as fractions and powers", ["exp": "1800003600.25", "iat": "1.8e9"]),
    .claims("without nbf", ["nbf": nil]), .claims("ended within the skew", ["exp": "\(now - 299)"]),
    .claims("begun and issued within the skew", ["nbf": "\(now + 300)", "iat": "\(now + 300)"]),
    IDTokenChange("ended long ago, with a skew as wide") {
      $0.payload["exp"] = "\(now - 3000)"
      $0.expectations.skew = .seconds(3600)
    },
    IDTokenChange("by a clock that is wrong, once its offset is known") {
      $0.payload["exp"] = "\(now + 90_000)"
      $0.payload["iat"] = "\(now + 86_400)"
      $0.payload["nbf"] = "\(now + 86_400)"
      $0.expectations.now += 86_400
    },
    .claims("for a list of one client", ["aud": "[\(json(IDTokenScene.clientID))]"]),
    .claims("with the policy in acr, in lower case", ["tfp": nil, "acr": json("b2c_1_signin")]),
    .claims("with a policy in tfp and something else in acr", ["acr": json("1")]),
    IDTokenChange("without a policy, where none was used") {
      $0.payload["tfp"] = nil
      $0.expectations.policy = nil
    },
    .hash("of the access token", json("SL8j94FVdxDzoUOD-fWy2g")),
    // OpenID Connect Core names no hash for EdDSA: providers take SHA-512, which is its own, or SHA-256.
    .hash("of Ed25519, half of SHA-512", json("lvYPQ_i12mQ1QsgqujDyHLsdJUj2lQie9NmQuKZBSy8"), by: .ed25519),
    .hash("of Ed25519, half of SHA-256", json("SL8j94FVdxDzoUOD-fWy2g"), by: .ed25519),
    IDTokenChange("without at_hash") { $0.expectations.accessToken = Secret("token") },
    IDTokenChange("of Entra ID's common endpoint") {
      $0.payload["iss"] = json("https://login.microsoftonline.com/\(IDTokenScene.tenantID)/v2.0")
      $0.payload["tid"] = json(IDTokenScene.tenantID)
      $0.expectations.issuer = .init(published: "https://login.microsoftonline.com/{tenantid}/v2.0")
    },
    IDTokenChange("with B2C's tfp issuer") {
      let issuer = "https://contoso.b2clogin.com/tfp/\(IDTokenScene.tenantID)/b2c_1_signin/v2.0/"
      $0.payload["iss"] = json(issuer)
      $0.expectations.issuer = .init(published: issuer)
    },
    .claims("whose sub says that oid names its user", ["sub": json("Not supported currently. Use oid claim.")]),
  ]

  @Test("may come in many forms", arguments: varieties)
  func variety(_ change: IDTokenChange) throws {
    var scene = try IDTokenScene()
    try change.apply(&scene)
    #expect(try scene.verify()["oid"] == "884408e1-2918-4cz0-b12d-3aa027d7563b")
  }
}
