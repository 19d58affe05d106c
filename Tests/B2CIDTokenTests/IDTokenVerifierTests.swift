import B2CCore
import B2CIDToken
import Foundation
import Testing

@Suite("A good id_token")
struct IDTokenVerifierTests {
  struct Change: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let apply: @Sendable (inout IDTokenScene) throws -> Void

    init(_ testDescription: String, _ apply: @escaping @Sendable (inout IDTokenScene) throws -> Void) {
      self.testDescription = testDescription
      self.apply = apply
    }
  }

  @Test("gives its claims")
  func claims() throws {
    let claims = try IDTokenScene().verify()
    #expect(claims["iss"] == .string("https://contoso.b2clogin.com/\(IDTokenScene.tenantID)/v2.0/"))
    #expect(claims["sub"] == "884408e1-2918-4cz0-b12d-3aa027d7563b")
    #expect(claims["aud"] == .string(IDTokenScene.clientID))
    #expect(claims["exp"] == .integer(Int64(IDTokenScene.now + 3600)))
    #expect(claims["iat"] == .integer(Int64(IDTokenScene.now - 300)))
    #expect(claims["nbf"] == claims["iat"])
    #expect(claims["oid"] == claims["sub"])
    #expect(claims["name"] == "Ada Løvelace")
    #expect(claims["emails"] == ["ada@example.com"])
    #expect(claims["tfp"] == "B2C_1_SignIn")
    #expect(claims["nonce"] == "n-0S6_WzA2Mj")
    #expect(claims["ver"] == .string("1.0"))
    #expect(claims.count == 13)
  }

  static let algorithms: [Change] = [
    Change("RS256") { $0.use(try IDTokenSigner.rsa.get(), "RS256") },
    Change("RS384") { $0.use(try IDTokenSigner.rsa.get(), "RS384") },
    Change("RS512") { $0.use(try IDTokenSigner.rsa.get(), "RS512") },
    Change("PS256") { $0.use(try IDTokenSigner.rsa.get(), "PS256") },
    Change("PS384") { $0.use(try IDTokenSigner.rsa.get(), "PS384") },
    Change("PS512") { $0.use(try IDTokenSigner.rsa.get(), "PS512") },
    Change("ES256") { $0.use(IDTokenSigner.p256, "ES256") },
    Change("ES384") { $0.use(IDTokenSigner.p384, "ES384") },
    Change("ES512") { $0.use(IDTokenSigner.p521, "ES512") },
    Change("EdDSA") { $0.use(IDTokenSigner.ed25519, "EdDSA") },
    Change("Ed25519") { $0.use(IDTokenSigner.ed25519, "Ed25519") },
  ]

  @Test("may be signed by any algorithm of a generic issuer that is allowed", arguments: algorithms)
  func algorithm(_ change: Change) throws {
    var scene = try IDTokenScene()
    try change.apply(&scene)
    scene.expectations.allowedAlgorithms = .openIDConnect
    #expect(try scene.verify()["name"] == "Ada Løvelace")
  }

  static let varieties: [Change] = [
    Change("without kid: every fitting key is tried") {
      $0.header["kid"] = nil
      $0.keys = [try IDTokenSigner.otherRSA.get().entry(), IDTokenSigner.p256.entry(), $0.signer.entry()]
    },
    Change("with a kid, where the key has none") { $0.keys = [$0.signer.withKeyID(nil).entry()] },
    Change("with two keys of one kid") {
      $0.keys = [try IDTokenSigner.otherRSA.get().withKeyID("rsa").entry(), $0.signer.entry()]
    },
    Change("with key members alg, use and key_ops") {
      $0.keys = [$0.signer.entry("\"alg\":\"RS256\",\"use\":\"sig\",\"key_ops\":[\"verify\"]")]
    },
    Change("without typ") { $0.header["typ"] = nil },
    Change("with typ in lower case") { $0.header["typ"] = "\"jwt\"" },
    Change("with the whole media type as typ") { $0.header["typ"] = "\"application/JWT\"" },
    Change("with unknown header members") { $0.header["x5t"] = "\"abc\"" },
    Change("with times as texts") {
      $0.payload["exp"] = "\"\(IDTokenScene.now + 3600)\""
      $0.payload["nbf"] = "\"\(IDTokenScene.now)\""
      $0.payload["iat"] = "\"\(IDTokenScene.now).5\""
    },
    Change("with times as fractions and powers") {
      $0.payload["exp"] = "1800003600.25"
      $0.payload["iat"] = "1.8e9"
    },
    Change("without nbf") { $0.payload["nbf"] = nil },
    Change("ended within the skew") { $0.payload["exp"] = "\(IDTokenScene.now - 299)" },
    Change("begun and issued within the skew") {
      $0.payload["nbf"] = "\(IDTokenScene.now + 300)"
      $0.payload["iat"] = "\(IDTokenScene.now + 300)"
    },
    Change("ended long ago, with a skew as wide") {
      $0.payload["exp"] = "\(IDTokenScene.now - 3000)"
      $0.expectations.skew = .seconds(3600)
    },
    Change("by a clock that is wrong, once its offset is known") {
      $0.payload["exp"] = "\(IDTokenScene.now + 90_000)"
      $0.payload["iat"] = "\(IDTokenScene.now + 86_400)"
      $0.payload["nbf"] = "\(IDTokenScene.now + 86_400)"
      $0.expectations.now += 86_400
    },
    Change("for a list of one client") { $0.payload["aud"] = "[\"\(IDTokenScene.clientID)\"]" },
    Change("with the policy in acr, in lower case") {
      $0.payload["tfp"] = nil
      $0.payload["acr"] = "\"b2c_1_signin\""
    },
    Change("with a policy in tfp and something else in acr") { $0.payload["acr"] = "\"1\"" },
    Change("without a policy, where none was used") {
      $0.payload["tfp"] = nil
      $0.expectations.policy = nil
    },
    Change("with the access token's hash") {
      $0.expectations.accessToken = Secret("jHkWEdUXMU1BwAsC4vtUsZwnNvTIxK0z9K3vx5KF-Y0")
      $0.payload["at_hash"] = "\"SL8j94FVdxDzoUOD-fWy2g\""
    },
    // OpenID Connect Core names no hash for EdDSA: providers take SHA-512, which is its own, or SHA-256.
    Change("of Ed25519 with half of the access token's SHA-512") {
      $0.use(IDTokenSigner.ed25519, "EdDSA")
      $0.expectations.allowedAlgorithms = .openIDConnect
      $0.expectations.accessToken = Secret("jHkWEdUXMU1BwAsC4vtUsZwnNvTIxK0z9K3vx5KF-Y0")
      $0.payload["at_hash"] = "\"lvYPQ_i12mQ1QsgqujDyHLsdJUj2lQie9NmQuKZBSy8\""
    },
    Change("of Ed25519 with half of the access token's SHA-256") {
      $0.use(IDTokenSigner.ed25519, "EdDSA")
      $0.expectations.allowedAlgorithms = .openIDConnect
      $0.expectations.accessToken = Secret("jHkWEdUXMU1BwAsC4vtUsZwnNvTIxK0z9K3vx5KF-Y0")
      $0.payload["at_hash"] = "\"SL8j94FVdxDzoUOD-fWy2g\""
    },
    Change("without at_hash") { $0.expectations.accessToken = Secret("token") },
    Change("of Entra ID's common endpoint") {
      $0.payload["iss"] = "\"https://login.microsoftonline.com/\(IDTokenScene.tenantID)/v2.0\""
      $0.payload["tid"] = "\"\(IDTokenScene.tenantID)\""
      $0.expectations.issuer = .init(published: "https://login.microsoftonline.com/{tenantid}/v2.0")
    },
    Change("with B2C's tfp issuer") {
      let issuer = "https://contoso.b2clogin.com/tfp/\(IDTokenScene.tenantID)/b2c_1_signin/v2.0/"
      $0.payload["iss"] = "\"\(issuer)\""
      $0.expectations.issuer = .init(published: issuer)
    },
  ]

  @Test("may come in many forms", arguments: varieties)
  func variety(_ change: Change) throws {
    var scene = try IDTokenScene()
    try change.apply(&scene)
    #expect(try scene.verify()["oid"] == "884408e1-2918-4cz0-b12d-3aa027d7563b")
  }

  @Test("may name its user in oid if its sub says so")
  func subjectPlaceholder() throws {
    var scene = try IDTokenScene()
    scene.payload["sub"] = "\"Not supported currently. Use oid claim.\""
    scene.payload["oid"] = "\"1f2e3d4c\""
    #expect(try scene.verify()["oid"] == "1f2e3d4c")
  }

  @Test("is refused as soon as the skew is over")
  func skew() throws {
    var scene = try IDTokenScene()
    scene.payload["exp"] = "\(IDTokenScene.now)"
    scene.expectations.skew = .zero
    let rejection = #expect(throws: ConnectorError.self) { try scene.verify() }
    #expect(rejection?.message.contains("it expired") == true)
  }

  @Test("keeps claims of every JSON form as they came")
  func values() throws {
    var scene = try IDTokenScene()
    scene.payload["extra"] =
      "[1, -2.5e-3, true, null, \"\\uD83D\\uDE00\\n\\/\\\"é\", {\"deep\": []}, 9223372036854775808]"
    let expected: [JSONValue] = [
      .integer(1), .number(-0.0025), .bool(true), .null, .string("😀\n/\"é"), .object(["deep": .array([])]),
      .number(9_223_372_036_854_775_808),
    ]
    #expect(try scene.verify()["extra"] == .array(expected))
  }
}
