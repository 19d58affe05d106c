import B2CCore
import B2CIDToken
import Foundation
import Testing

/// One thing wrong with a sign-in's id_token, and the rule that has to notice it.
struct IDTokenForgery: Sendable, CustomTestStringConvertible {
  let testDescription: String
  let reason: IDTokenRejection.Reason
  let apply: @Sendable (inout IDTokenScene) throws -> Void

  init(
    _ testDescription: String, _ reason: IDTokenRejection.Reason,
    _ apply: @escaping @Sendable (inout IDTokenScene) throws -> Void
  ) {
    self.testDescription = testDescription
    self.reason = reason
    self.apply = apply
  }

  static let all = form + header + keys + signatures + origin + times + request + refresh
}

extension IDTokenForgery {
  private static func mangle(
    _ testDescription: String, _ reason: IDTokenRejection.Reason = .malformed,
    _ mangle: @escaping @Sendable (_ parts: [String]) -> String
  ) -> IDTokenForgery {
    IDTokenForgery(testDescription, reason) { scene in
      scene.mangle = { mangle($0.split(separator: ".", omittingEmptySubsequences: false).map(String.init)) }
    }
  }

  private static func payload(_ testDescription: String, _ text: String) -> IDTokenForgery {
    IDTokenForgery("payload \(testDescription)", .malformed) { scene in
      let signer = scene.signer
      let header = scene.header.text
      let token = try signer.token(header: header, payload: text, algorithm: "RS256")
      scene.mangle = { _ in token }
    }
  }

  static let form: [IDTokenForgery] = [
    mangle("empty") { _ in "" },
    mangle("no dots") { $0.joined() },
    mangle("two parts") { $0[0] + "." + $0[1] },
    mangle("four parts") { $0.joined(separator: ".") + ".AA" },
    mangle("dot at the end") { $0.joined(separator: ".") + "." },
    mangle("five parts", .encrypted) { $0.joined(separator: ".") + ".AA.AA" },
    mangle("padding behind the signature") { $0.joined(separator: ".") + "==" },
    mangle("padding behind the payload") { $0[0] + "." + $0[1] + "=." + $0[2] },
    mangle("blank in front") { " " + $0.joined(separator: ".") },
    mangle("line break behind") { $0.joined(separator: ".") + "\n" },
    mangle("line break within") { $0[0] + "." + $0[1].prefix(20) + "\r\n" + $0[1].dropFirst(20) + "." + $0[2] },
    mangle("plain base64 alphabet") { $0[0] + "." + $0[1] + "." + "+/+/" + $0[2].dropFirst(4) },
    mangle("stray bits at the end") { $0[0] + "." + $0[1] + "." + $0[2].dropLast() + "B" },
    mangle("foreign letters") { $0[0] + "." + $0[1] + "." + "é" + $0[2] },
    mangle("empty header") { "." + $0[1] + "." + $0[2] },
    mangle("header is a list") { Base64URL.encode("[]".utf8) + "." + $0[1] + "." + $0[2] },
    mangle("larger than 64 KiB", .tooLarge) { $0.joined(separator: ".") + String(repeating: "A", count: 65_536) },
    payload("is empty", ""),
    payload("is a text", "\"claims\""),
    payload("is cut off", "{\"iss\":\"a\""),
    payload("goes on", "{} {}"),
    payload("has a trailing comma", "{\"iss\":\"a\",}"),
    payload("has a bare name", "{iss:\"a\"}"),
    payload("has a number out of range", "{\"exp\":1e999}"),
    payload("has NaN", "{\"exp\":NaN}"),
    payload("has a leading zero", "{\"exp\":01}"),
    payload("has half a surrogate pair", "{\"iss\":\"\\uD83D\"}"),
    payload("has a raw control character", "{\"iss\":\"\u{1}\"}"),
    payload("has a byte order mark", "\u{FEFF}{}"),
    payload("is too deep", String(repeating: "{\"a\":", count: 40) + "1" + String(repeating: "}", count: 40)),
    IDTokenForgery("payload is no UTF-8", .malformed) { scene in
      let signer = scene.signer
      let bytes = Data("{\"iss\":\"".utf8) + Data([0xC3, 0x28]) + Data("\"}".utf8)
      let input = Base64URL.encode(scene.header.text.utf8) + "." + Base64URL.encode(bytes)
      let token = input + "." + Base64URL.encode(try signer.sign(Data(input.utf8), "RS256"))
      scene.mangle = { _ in token }
    },
    IDTokenForgery("claim twice", .duplicateMember) { $0.payload.add("aud", "\"other\"") },
    IDTokenForgery("claim twice, once escaped", .duplicateMember) { $0.payload.add("is\\u0073", "\"other\"") },
    IDTokenForgery("claim twice within a claim", .duplicateMember) { $0.payload["extra"] = "{\"a\":1,\"a\":1}" },
    IDTokenForgery("header member twice", .duplicateMember) { $0.header.add("alg", "\"none\"") },
  ]

  static let header: [IDTokenForgery] = [
    IDTokenForgery("alg none without signature", .algorithm) {
      $0.header["alg"] = "\"none\""
      $0.signer = $0.signer.signing(Data())
    },
    IDTokenForgery("alg None", .algorithm) { $0.header["alg"] = "\"None\"" },
    IDTokenForgery("alg NONE", .algorithm) { $0.header["alg"] = "\"NONE\"" },
    IDTokenForgery("alg nOnE on the list", .algorithm) {
      $0.header["alg"] = "\"nOnE\""
      $0.expectations.allowedAlgorithms.insert(JWSAlgorithm(rawValue: "nOnE"))
    },
    IDTokenForgery("alg none on the list", .algorithm) {
      $0.header["alg"] = "\"none\""
      $0.signer = $0.signer.signing(Data())
      $0.expectations.allowedAlgorithms.insert(JWSAlgorithm(rawValue: "none"))
    },
    IDTokenForgery("alg missing", .algorithm) { $0.header["alg"] = nil },
    IDTokenForgery("alg empty", .algorithm) { $0.header["alg"] = "\"\"" },
    IDTokenForgery("alg no text", .algorithm) { $0.header["alg"] = "[\"RS256\"]" },
    IDTokenForgery("alg in lower case", .algorithm) { $0.header["alg"] = "\"rs256\"" },
    IDTokenForgery("alg with a blank", .algorithm) { $0.header["alg"] = "\"RS256 \"" },
    IDTokenForgery("HS256 with the public key as its secret", .algorithm) {
      $0.signer = .hmac(withPublicKeyOf: $0.signer)
      $0.header["alg"] = "\"HS256\""
    },
    IDTokenForgery("HS256 on the list", .algorithm) {
      $0.signer = .hmac(withPublicKeyOf: $0.signer)
      $0.header["alg"] = "\"HS256\""
      $0.expectations.allowedAlgorithms.insert(JWSAlgorithm(rawValue: "HS256"))
    },
    IDTokenForgery("RSA1_5 of encryption", .algorithm) { $0.header["alg"] = "\"RSA1_5\"" },
    IDTokenForgery("good PS256 where only RS256 is allowed", .algorithm) { $0.use($0.signer, "PS256") },
    IDTokenForgery("crit", .extensionDemanded) { $0.header["crit"] = "[\"exp\"]" },
    IDTokenForgery("crit, empty", .extensionDemanded) { $0.header["crit"] = "[]" },
    IDTokenForgery("b64", .extensionDemanded) { $0.header["b64"] = "false" },
    IDTokenForgery("zip", .extensionDemanded) { $0.header["zip"] = "\"DEF\"" },
    IDTokenForgery("enc", .encrypted) { $0.header["enc"] = "\"A128GCM\"" },
    IDTokenForgery("typ of an access token", .type) { $0.header["typ"] = "\"at+jwt\"" },
    IDTokenForgery("typ of a logout token", .type) { $0.header["typ"] = "\"logout+jwt\"" },
    IDTokenForgery("typ no text", .type) { $0.header["typ"] = "null" },
    IDTokenForgery("kid no text", .malformed) { $0.header["kid"] = "1" },
  ]

  static let keys: [IDTokenForgery] = [
    IDTokenForgery("kid of no key", .unknownKey) { $0.header["kid"] = "\"nobody\"" },
    IDTokenForgery("kid that differs in case", .unknownKey) { $0.header["kid"] = "\"RSA\"" },
    IDTokenForgery("kid that only looks the same", .unknownKey) {
      $0.signer = $0.signer.withKeyID("K")
      $0.keys = [$0.signer.entry()]
      $0.header["kid"] = "\"\u{212A}\""
    },
    IDTokenForgery("kid like a path", .unknownKey) { $0.header["kid"] = "\"../../dev/null\"" },
    IDTokenForgery("no keys at all", .unknownKey) { $0.keys = [] },
    IDTokenForgery("no keys and no kid", .unknownKey) {
      $0.header["kid"] = nil
      $0.keys = []
    },
    IDTokenForgery("kid of another key", .signature) {
      let other = try IDTokenSigner.otherRSA.get()
      $0.keys.append(other.entry())
      $0.header["kid"] = "\"other\""
    },
    IDTokenForgery("key of another policy", .unknownKey) {
      $0.signer = try IDTokenSigner.otherRSA.get()
      $0.header["kid"] = "\"other\""
    },
    IDTokenForgery("key of another policy under our kid", .signature) { $0.signer = try IDTokenSigner.otherRSA.get() },
    IDTokenForgery("key in the header", .signature) {
      $0.signer = try IDTokenSigner.otherRSA.get()
      $0.header["jwk"] = $0.signer.entry()
      $0.header["jku"] = "\"https://attacker.example/keys\""
    },
    IDTokenForgery("no kid and no key that fits", .unsuitableKey) {
      $0.header["kid"] = nil
      $0.keys = [IDTokenSigner.p256.entry(), IDTokenSigner.ed25519.entry()]
    },
    IDTokenForgery("key of 1024 bits", .unsuitableKey) { $0.use(try IDTokenSigner.weakRSA.get(), "RS256") },
    IDTokenForgery("key for encryption", .unsuitableKey) { $0.keys = [$0.signer.entry("\"use\":\"enc\"")] },
    IDTokenForgery("key for signing only", .unsuitableKey) { $0.keys = [$0.signer.entry("\"key_ops\":[\"sign\"]")] },
    IDTokenForgery("key of another alg", .unsuitableKey) { $0.keys = [$0.signer.entry("\"alg\":\"RS512\"")] },
    IDTokenForgery("key of another kind than alg", .unsuitableKey) {
      $0.keys = [IDTokenSigner.p256.withKeyID("rsa").entry()]
    },
    IDTokenForgery("ES256 with a P-384 key", .unsuitableKey) {
      $0.expectations.allowedAlgorithms = .openIDConnect
      $0.use(IDTokenSigner.p384, "ES256")
    },
    IDTokenForgery("even exponent", .unsuitableKey) {
      $0.keys = [$0.signer.entry().replacingOccurrences(of: "\"e\":\"AQAB\"", with: "\"e\":\"AQAA\"")]
    },
    IDTokenForgery("exponent one, which any signature fits", .unsuitableKey) {
      $0.keys = [$0.signer.entry().replacingOccurrences(of: "\"e\":\"AQAB\"", with: "\"e\":\"AQ\"")]
    },
  ]

  static let signatures: [IDTokenForgery] = [
    mangle("signature empty", .signature) { $0[0] + "." + $0[1] + "." },
    mangle("signature cut", .signature) { $0[0] + "." + $0[1] + "." + String($0[2].dropLast(6)) + "AA" },
    mangle("signature lengthened", .signature) { $0[0] + "." + $0[1] + ".AAAA" + $0[2] },
    mangle("signature with one bit flipped", .signature) {
      $0[0] + "." + $0[1] + "." + ($0[2].hasPrefix("A") ? "B" : "A") + $0[2].dropFirst()
    },
    mangle("payload of another token", .signature) {
      $0[0] + "." + Base64URL.encode("{\"sub\":\"admin\"}".utf8) + "." + $0[2]
    },
    mangle("header of another token", .signature) {
      Base64URL.encode("{\"kid\":\"rsa\",\"alg\":\"RS256\"}".utf8) + "." + $0[1] + "." + $0[2]
    },
    IDTokenForgery("signature of zeros", .signature) { $0.signer = $0.signer.signing(Data(count: 256)) },
    IDTokenForgery("signature of ones", .signature) {
      $0.signer = $0.signer.signing(Data(repeating: 0xFF, count: 256))
    },
    IDTokenForgery("PSS under PKCS #1's name", .signature) { $0.algorithm = "PS256" },
    IDTokenForgery("PKCS #1 under PSS's name", .signature) {
      $0.expectations.allowedAlgorithms = .openIDConnect
      $0.header["alg"] = "\"PS256\""
    },
    IDTokenForgery("SHA-512 under SHA-256's name", .signature) { $0.algorithm = "RS512" },
    IDTokenForgery("ES256 in DER", .signature) {
      $0.expectations.allowedAlgorithms = .openIDConnect
      $0.use(IDTokenSigner.p256WithDER, "ES256")
    },
    IDTokenForgery("ES256 with r and s zero", .signature) {
      $0.expectations.allowedAlgorithms = .openIDConnect
      $0.use(IDTokenSigner.p256.signing(Data(count: 64)), "ES256")
    },
    IDTokenForgery("ES384 with r and s zero", .signature) {
      $0.expectations.allowedAlgorithms = .openIDConnect
      $0.use(IDTokenSigner.p384.signing(Data(count: 96)), "ES384")
    },
    IDTokenForgery("ES512 with r and s zero", .signature) {
      $0.expectations.allowedAlgorithms = .openIDConnect
      $0.use(IDTokenSigner.p521.signing(Data(count: 132)), "ES512")
    },
    IDTokenForgery("ES256 with an empty signature", .signature) {
      $0.expectations.allowedAlgorithms = .openIDConnect
      $0.use(IDTokenSigner.p256.signing(Data()), "ES256")
    },
    IDTokenForgery("EdDSA of zeros", .signature) {
      $0.expectations.allowedAlgorithms = .openIDConnect
      $0.use(IDTokenSigner.ed25519.signing(Data(count: 64)), "EdDSA")
    },
  ]

  static let origin: [IDTokenForgery] = [
    IDTokenForgery("iss missing", .issuer) { $0.payload["iss"] = nil },
    IDTokenForgery("iss no text", .issuer) { $0.payload["iss"] = "[\"https://contoso.b2clogin.com/\"]" },
    IDTokenForgery("iss of another host", .issuer) {
      $0.payload["iss"] = "\"https://contoso.b2clogin.com.evil.example/\(IDTokenScene.tenantID)/v2.0/\""
    },
    IDTokenForgery("iss of another tenant", .issuer) {
      $0.payload["iss"] = "\"https://contoso.b2clogin.com/00000000-9a37-4307-8b3d-cc311f58d925/v2.0/\""
    },
    IDTokenForgery("iss without the slash at its end", .issuer) {
      $0.payload["iss"] = "\"https://contoso.b2clogin.com/\(IDTokenScene.tenantID)/v2.0\""
    },
    IDTokenForgery("iss by http", .issuer) {
      $0.payload["iss"] = "\"http://contoso.b2clogin.com/\(IDTokenScene.tenantID)/v2.0/\""
    },
    IDTokenForgery("iss in capitals", .issuer) {
      $0.payload["iss"] = "\"HTTPS://contoso.b2clogin.com/\(IDTokenScene.tenantID)/v2.0/\""
    },
    IDTokenForgery("iss of a tenant that tid does not name", .issuer) {
      $0.expectations.issuer = .template("https://login.microsoftonline.com/{tenantid}/v2.0")
      $0.payload["iss"] = "\"https://login.microsoftonline.com/\(IDTokenScene.tenantID)/v2.0\""
      $0.payload["tid"] = "\"9188040d-6c67-4c5b-b112-36a304b66dad\""
    },
    IDTokenForgery("iss of a template without tid", .issuer) {
      $0.expectations.issuer = .template("https://login.microsoftonline.com/{tenantid}/v2.0")
      $0.payload["iss"] = "\"https://login.microsoftonline.com/\(IDTokenScene.tenantID)/v2.0\""
    },
    IDTokenForgery("iss that is the template itself", .issuer) {
      $0.expectations.issuer = .template("https://login.microsoftonline.com/{tenantid}/v2.0")
      $0.payload["iss"] = "\"https://login.microsoftonline.com/{tenantid}/v2.0\""
      $0.payload["tid"] = "\"{tenantid}\""
    },
    IDTokenForgery("aud missing", .audience) { $0.payload["aud"] = nil },
    IDTokenForgery("aud of another client", .audience) { $0.payload["aud"] = "\"other\"" },
    IDTokenForgery("aud that begins with ours", .audience) { $0.payload["aud"] = "\"\(IDTokenScene.clientID)x\"" },
    IDTokenForgery("aud in capitals", .audience) { $0.payload["aud"] = "\"\(IDTokenScene.clientID.uppercased())\"" },
    IDTokenForgery("aud an empty list", .audience) { $0.payload["aud"] = "[]" },
    IDTokenForgery("aud a list of others", .audience) { $0.payload["aud"] = "[\"a\",\"b\"]" },
    IDTokenForgery("aud a list with a number", .audience) { $0.payload["aud"] = "[\"\(IDTokenScene.clientID)\",1]" },
    IDTokenForgery("several aud without azp", .authorizedParty) {
      $0.payload["aud"] = "[\"\(IDTokenScene.clientID)\",\"other\"]"
    },
    IDTokenForgery("several aud with another azp", .authorizedParty) {
      $0.payload["aud"] = "[\"\(IDTokenScene.clientID)\",\"other\"]"
      $0.payload["azp"] = "\"other\""
    },
    IDTokenForgery("several aud, ours by azp, the other not trusted", .untrustedAudience) {
      $0.payload["aud"] = "[\"\(IDTokenScene.clientID)\",\"other\"]"
      $0.payload["azp"] = "\"\(IDTokenScene.clientID)\""
    },
    IDTokenForgery("several aud, ours by azp, one of two not trusted", .untrustedAudience) {
      $0.payload["aud"] = "[\"other\",\"\(IDTokenScene.clientID)\",\"third\"]"
      $0.payload["azp"] = "\"\(IDTokenScene.clientID)\""
      $0.expectations.trustedAudiences = ["third", "OTHER"]
    },
    IDTokenForgery("one aud with another azp", .authorizedParty) { $0.payload["azp"] = "\"other\"" },
    IDTokenForgery("azp no text", .authorizedParty) { $0.payload["azp"] = "null" },
    IDTokenForgery("sub missing", .subject) { $0.payload["sub"] = nil },
    IDTokenForgery("sub empty", .subject) { $0.payload["sub"] = "\"\"" },
    IDTokenForgery("sub points to an oid that is missing", .subject) {
      $0.payload["sub"] = "\"Not supported currently. Use oid claim.\""
      $0.payload["oid"] = nil
    },
  ]

  static let times: [IDTokenForgery] = [
    IDTokenForgery("exp missing", .expiration) { $0.payload["exp"] = nil },
    IDTokenForgery("exp null", .expiration) { $0.payload["exp"] = "null" },
    IDTokenForgery("exp a boolean", .expiration) { $0.payload["exp"] = "true" },
    IDTokenForgery("exp junk", .expiration) { $0.payload["exp"] = "\"tomorrow\"" },
    IDTokenForgery("exp NaN as a text", .expiration) { $0.payload["exp"] = "\"nan\"" },
    IDTokenForgery("exp infinite as a text", .expiration) { $0.payload["exp"] = "\"1e999\"" },
    IDTokenForgery("exp hexadecimal", .expiration) { $0.payload["exp"] = "\"0x7fffffff\"" },
    IDTokenForgery("exp empty", .expiration) { $0.payload["exp"] = "\"\"" },
    IDTokenForgery("exp in milliseconds", .expiration) { $0.payload["exp"] = "1800003600000" },
    IDTokenForgery("exp beyond all time", .expiration) { $0.payload["exp"] = "1e300" },
    IDTokenForgery("exp before all time", .expiration) { $0.payload["exp"] = "-1" },
    IDTokenForgery("exp past", .expired) { $0.payload["exp"] = "\(IDTokenScene.now - 300)" },
    IDTokenForgery("exp long past", .expired) { $0.payload["exp"] = "0" },
    IDTokenForgery("exp past as a text", .expired) { $0.payload["exp"] = "\"\(IDTokenScene.now - 301)\"" },
    IDTokenForgery("nbf to come", .notYetValid) { $0.payload["nbf"] = "\(IDTokenScene.now + 301)" },
    IDTokenForgery("nbf junk", .notYetValid) { $0.payload["nbf"] = "\"soon\"" },
    IDTokenForgery("iat to come", .issuedInFuture) { $0.payload["iat"] = "\(IDTokenScene.now + 301)" },
    IDTokenForgery("iat missing", .issuedAt) { $0.payload["iat"] = nil },
    IDTokenForgery("iat junk", .issuedAt) { $0.payload["iat"] = "{}" },
    IDTokenForgery("auth_time older than max_age", .authenticationTime) {
      $0.expectations.earliestAuthentication = Date(timeIntervalSince1970: Double(IDTokenScene.now - 60))
      $0.payload["auth_time"] = "\(IDTokenScene.now - 61)"
    },
    IDTokenForgery("auth_time missing though max_age was asked", .authenticationTime) {
      $0.expectations.earliestAuthentication = Date(timeIntervalSince1970: 0)
      $0.payload["auth_time"] = nil
    },
    IDTokenForgery("auth_time missing though essential", .authenticationTime) {
      $0.expectations.essentialClaims.needsAuthenticationTime = true
      $0.payload["auth_time"] = nil
    },
  ]

  static let request: [IDTokenForgery] = [
    IDTokenForgery("nonce missing", .nonce) { $0.payload["nonce"] = nil },
    IDTokenForgery("nonce of another request", .nonce) { $0.payload["nonce"] = "\"n-0S6_WzA2Mk\"" },
    IDTokenForgery("nonce empty", .nonce) { $0.payload["nonce"] = "\"\"" },
    IDTokenForgery("nonce no text", .nonce) { $0.payload["nonce"] = "[\"n-0S6_WzA2Mj\"]" },
    IDTokenForgery("nonce in other case", .nonce) { $0.payload["nonce"] = "\"N-0S6_WZA2MJ\"" },
    IDTokenForgery("tfp of another policy", .policy) { $0.payload["tfp"] = "\"B2C_1_EditProfile\"" },
    IDTokenForgery("tfp of another policy beside an acr of ours", .policy) {
      $0.payload["tfp"] = "\"B2C_1_EditProfile\""
      $0.payload["acr"] = "\"b2c_1_signin\""
    },
    IDTokenForgery("acr of another policy", .policy) {
      $0.payload["tfp"] = nil
      $0.payload["acr"] = "\"b2c_1_editprofile\""
    },
    IDTokenForgery("no policy", .policy) { $0.payload["tfp"] = nil },
    IDTokenForgery("tfp no text", .policy) { $0.payload["tfp"] = "1" },
    IDTokenForgery("tfp with a letter that only folds to ours", .policy) {
      $0.expectations.policy = "B2C_1_Kiosk"
      $0.payload["tfp"] = "\"B2C_1_\u{212A}iosk\""
    },
    IDTokenForgery("acr missing though essential", .authenticationContext) {
      $0.expectations.essentialClaims.authenticationContexts = []
    },
    IDTokenForgery("acr none of those asked for", .authenticationContext) {
      $0.expectations.essentialClaims.authenticationContexts = ["urn:strong", "urn:stronger"]
      $0.payload["acr"] = "\"urn:weak\""
    },
    IDTokenForgery("at_hash of another token", .accessTokenHash) {
      $0.expectations.accessToken = Secret("access")
      $0.payload["at_hash"] = "\"SL8j94FVdxDzoUOD-fWy2g\""
    },
    IDTokenForgery("at_hash no text", .accessTokenHash) {
      $0.expectations.accessToken = Secret("access")
      $0.payload["at_hash"] = "null"
    },
    IDTokenForgery("at_hash of RS256 by SHA-512", .accessTokenHash) {
      $0.expectations.accessToken = Secret("jHkWEdUXMU1BwAsC4vtUsZwnNvTIxK0z9K3vx5KF-Y0")
      $0.payload["at_hash"] = "\"lvYPQ_i12mQ1QsgqujDyHLsdJUj2lQie9NmQuKZBSy8\""
    },
    IDTokenForgery("at_hash of Ed25519 by SHA-384", .accessTokenHash) {
      $0.use(IDTokenSigner.ed25519, "EdDSA")
      $0.expectations.allowedAlgorithms = .openIDConnect
      $0.expectations.accessToken = Secret("jHkWEdUXMU1BwAsC4vtUsZwnNvTIxK0z9K3vx5KF-Y0")
      $0.payload["at_hash"] = "\"sUnWY0EhD-Etwa6N0tI4X8jJV_UvtN0q\""
    },
  ]

  static let refresh: [IDTokenForgery] = [
    IDTokenForgery("sub changed on refresh", .identityChanged) {
      $0.expectations.previous = PreviousIdentity(try $0.verify().all)
      $0.payload["sub"] = "\"somebody-else\""
    },
    IDTokenForgery("iss changed on refresh", .identityChanged) {
      $0.expectations.previous = PreviousIdentity(issuer: "https://login.contoso.com/\(IDTokenScene.tenantID)/v2.0/")
    },
    IDTokenForgery("aud changed on refresh", .identityChanged) {
      $0.expectations.trustedAudiences = ["other"]
      $0.expectations.previous = PreviousIdentity(try $0.verify().all)
      $0.payload["aud"] = "[\"\(IDTokenScene.clientID)\",\"other\"]"
      $0.payload["azp"] = "\"\(IDTokenScene.clientID)\""
    },
    IDTokenForgery("auth_time changed on refresh", .authenticationTime) {
      $0.expectations.previous = PreviousIdentity(try $0.verify().all)
      $0.payload["auth_time"] = "\(IDTokenScene.now + 300)"
    },
    IDTokenForgery("nonce changed on refresh", .nonce) {
      $0.expectations.nonce = nil
      $0.expectations.previous = PreviousIdentity(try $0.verify().all)
      $0.payload["nonce"] = "\"another\""
    },
  ]
}
