import B2CCore
import B2CIDToken
import Foundation
import TestSupport
import Testing

@Suite("A forged or misdirected id_token")
struct IDTokenForgeryTests {
  static let all = (form + header + keys + signatures + origin + times + request).flatMap { $0 }

  @Test(
    "is refused by the rule it breaks, in words without anything secret, for good unless newer keys may help",
    arguments: all)
  func refused(_ forgery: IDTokenChange) throws {
    var scene = try IDTokenScene()
    try forgery.apply(&scene)
    let compact = try scene.compact()
    let error = try #require(throws: ConnectorError.self) { try scene.verify(compact) }
    #expect(error.message.contains(forgery.fault) && error.message.utf8.count < 300, "\(error.message)")
    // If the key that the token names was found, fetching the keys again cannot help.
    #expect(error.isRetryable == (forgery.fault == "publishes no key" || scene.header["kid"] == nil))
    for secret in compact.split(separator: ".").map(String.init) + ["n-0S6_WzA2Mj", "884408e1"] where secret.count > 7 {
      #expect(!"\(error)".contains(secret))
    }
  }

  private static let (tenant, client, now) = (IDTokenScene.tenantID, IDTokenScene.clientID, IDTokenScene.now)

  /// Forgeries that differ in the JSON text of one claim, which `nil` removes.
  private static func claim(_ name: String, _ fault: String, _ texts: String?...) -> [IDTokenChange] {
    texts.map { .claims("\(name) \($0 ?? "missing")", breaking: fault, [name: $0]) }
  }

  /// Forgeries that differ in the JSON text of one header field, which `nil` removes.
  private static func field(_ name: String, _ fault: String, _ texts: String?...) -> [IDTokenChange] {
    texts.map { text in IDTokenChange("\(name) \(text ?? "missing")", fault) { $0.header[name] = text } }
  }

  private static func parts(
    _ testDescription: String, _ fault: String, _ mangle: @escaping @Sendable ([String]) -> [String]
  ) -> IDTokenChange {
    IDTokenChange(testDescription, fault) { $0.mangle = mangle }
  }

  /// A token of one tenant, whose issuer the client knows only as a template.
  private static func templated(_ testDescription: String, _ tenant: String, tid: String?) -> IDTokenChange {
    IDTokenChange("iss \(testDescription)", " iss") {
      $0.expectations.issuer = .template("https://login.microsoftonline.com/{tenantid}/v2.0")
      $0.payload["iss"] = json("https://login.microsoftonline.com/\(tenant)/v2.0")
      $0.payload["tid"] = tid.map(json)
    }
  }

  /// A token without a signature, or with an HMAC, although the list of algorithms names it.
  private static func listed(
    _ algorithm: String, by signer: @escaping @Sendable (IDTokenSigner) -> IDTokenSigner
  ) -> IDTokenChange {
    IDTokenChange("alg \(algorithm) on the list", " alg") {
      $0.header["alg"] = json(algorithm)
      $0.signer = signer($0.signer)
      $0.expectations.allowedAlgorithms.insert(JWSAlgorithm(rawValue: algorithm))
    }
  }

  static let form: [[IDTokenChange]] = [
    [
      parts("empty", "it must have three parts") { _ in [] },
      parts("no dots", "it must have three parts") { [$0.joined()] },
      parts("two parts", "it must have three parts") { $0.dropLast() },
      parts("four parts", "it must have three parts") { $0 + ["AA"] },
      parts("dot at the end", "it must have three parts") { $0 + [""] },
      parts("five parts", "encrypted token") { $0 + ["AA", "AA"] },
      parts("padding behind the signature", "its signature is not base64url") { [$0[0], $0[1], $0[2] + "=="] },
      parts("padding behind the payload", "its payload is not base64url") { [$0[0], $0[1] + "=", $0[2]] },
      parts("space in front", "its header is not base64url") { [" " + $0[0], $0[1], $0[2]] },
      parts("empty header", "its header is empty") { ["", $0[1], $0[2]] },
      parts("header is a list", "its header is not a JSON object") { [Base64URL.encode("[]".utf8), $0[1], $0[2]] },
      parts("larger than 64 KiB", "bytes") { $0 + [String(repeating: "A", count: 65_536)] },
      IDTokenChange("claim twice", "twice") { $0.payload.members.append(("aud", json("other"))) },
      IDTokenChange("claim twice, once escaped", "twice") { $0.payload.members.append(("is\\u0073", json("other"))) },
      IDTokenChange("header field twice", "twice") { $0.header.members.append(("alg", json("none"))) },
    ],
    ["", json("claims"), #"{"iss":"a""#, "{} {}", "\u{FEFF}{}", #"{"extra":{"a":1,"a":1}}"#].map { (text: String) in
      IDTokenChange("payload \(text)", "its payload ") { $0.payload.replacement = text }
    },
  ]

  static let header: [[IDTokenChange]] = [
    field(
      "alg", " alg", nil, json(""), #"["RS256"]"#, json("None"), json("NONE"), json("rs256"), json("RS256 "),
      json("RSA1_5")),
    [
      IDTokenChange("alg none without signature", " alg") {
        $0.header["alg"] = json("none")
        $0.signer = $0.signer.signing(Data())
      },
      IDTokenChange("HS256 with the public key as its secret", " alg") {
        $0.signer = .hmac(withPublicKeyOf: $0.signer)
        $0.header["alg"] = json("HS256")
      },
      listed("HS256") { .hmac(withPublicKeyOf: $0) },
      listed("none") { $0.signing(Data()) },
      listed("nOnE") { $0 },
      IDTokenChange("good PS256 where only RS256 is allowed", " alg") {
        $0.use($0.signer, "PS256")
        $0.expectations.allowedAlgorithms = .microsoft
      },
    ],
    field("crit", "its header has", #"["exp"]"#, "[]"), field("b64", "its header has", "false"),
    field("zip", "its header has", json("DEF")), field("enc", "encrypted token", json("A128GCM")),
    field("typ", "its typ", json("at+jwt"), json("logout+jwt"), "null"), field("kid", "its kid", "1"),
  ]

  static let keys: [[IDTokenChange]] = [
    field("kid", "publishes no key", json("nobody"), json("RSA"), json("../../dev/null")),
    [
      IDTokenChange("kid that only looks the same", "publishes no key") {
        $0.signer = $0.signer.withKeyID("K")
        $0.keys = [$0.signer.entry()]
        $0.header["kid"] = json("\u{212A}")
      },
      IDTokenChange("no keys at all", "publishes no key") { $0.keys = [] },
      IDTokenChange("no keys and no kid", "publishes no key") {
        $0.header["kid"] = nil
        $0.keys = []
      },
      IDTokenChange("kid of another key", "its signature is not") {
        $0.keys.append(try IDTokenSigner.otherRSA.get().entry())
        $0.header["kid"] = json("other")
      },
      IDTokenChange("key of another policy", "publishes no key") {
        $0.signer = try IDTokenSigner.otherRSA.get()
        $0.header["kid"] = json("other")
      },
      IDTokenChange("key of another policy under our kid", "its signature is not") {
        $0.signer = try IDTokenSigner.otherRSA.get()
      },
      IDTokenChange("key of another policy without kid", "its signature is not") {
        $0.signer = try IDTokenSigner.otherRSA.get()
        $0.header["kid"] = nil
      },
      IDTokenChange("key in the header", "its signature is not") {
        $0.signer = try IDTokenSigner.otherRSA.get()
        $0.header["jwk"] = $0.signer.entry()
        $0.header["jku"] = json("https://attacker.example/keys")
      },
      IDTokenChange("no kid and no key that fits", "the issuer's key ") {
        $0.header["kid"] = nil
        $0.keys = [IDTokenSigner.p256.entry(), IDTokenSigner.ed25519.entry()]
      },
      IDTokenChange("key of another kind than alg", "the issuer's key ") {
        $0.keys = [IDTokenSigner.p256.withKeyID("rsa").entry()]
      },
      IDTokenChange("ES256 with a P-384 key", "the issuer's key ") { $0.use(IDTokenSigner.p384, "ES256") },
      IDTokenChange("exponent one, which any signature fits", "the issuer's key ") {
        $0.keys = [$0.signer.entry().replacing(#""e":"AQAB""#, with: #""e":"AQ""#)]
      },
    ],
    [#""use":"enc""#, #""key_ops":["sign"]"#, #""alg":"RS512""#].map { members in
      IDTokenChange("key with \(members)", "the issuer's key ") { $0.keys = [$0.signer.entry(members)] }
    },
  ]

  static let signatures: [[IDTokenChange]] = [
    [
      parts("signature empty", "its signature is not") { [$0[0], $0[1], ""] },
      parts("signature cut", "its signature is not") { [$0[0], $0[1], String($0[2].dropLast(6)) + "AA"] },
      parts("signature lengthened", "its signature is not") { [$0[0], $0[1], "AAAA" + $0[2]] },
      parts("signature with one bit flipped", "its signature is not") {
        [$0[0], $0[1], ($0[2].hasPrefix("A") ? "B" : "A") + String($0[2].dropFirst())]
      },
      parts("payload of another token", "its signature is not") {
        [$0[0], Base64URL.encode(#"{"sub":"admin"}"#.utf8), $0[2]]
      },
      parts("header of another token", "its signature is not") {
        [Base64URL.encode(#"{"kid":"rsa","alg":"RS256"}"#.utf8), $0[1], $0[2]]
      },
      IDTokenChange("PSS under PKCS #1's name", "its signature is not") { $0.algorithm = "PS256" },
      IDTokenChange("PKCS #1 under PSS's name", "its signature is not") {
        $0.use($0.signer, "PS256")
        $0.algorithm = "RS256"
      },
      IDTokenChange("SHA-512 under SHA-256's name", "its signature is not") { $0.algorithm = "RS512" },
      IDTokenChange("ES256 in DER", "its signature is not") { $0.use(.p256WithDER, "ES256") },
      IDTokenChange("ES256 of nothing", "its signature is not") { $0.use(.p256.signing(Data()), "ES256") },
    ],
    [("RS256", 256), ("ES256", 64), ("ES384", 96), ("ES512", 132), ("EdDSA", 64)].map { algorithm, count in
      IDTokenChange("\(algorithm) of zeros", "its signature is not") {
        $0.use(try IDTokenSigner.any(algorithm).signing(Data(count: count)), algorithm)
      }
    },
  ]

  static let origin: [[IDTokenChange]] = [
    claim(
      "iss", " iss", nil, #"["https://contoso.b2clogin.com/"]"#,
      json("https://contoso.b2clogin.com.evil.example/\(tenant)/v2.0/"),
      json("https://contoso.b2clogin.com/00000000-9a37-4307-8b3d-cc311f58d925/v2.0/"),
      json("https://contoso.b2clogin.com/\(tenant)/v2.0"), json("http://contoso.b2clogin.com/\(tenant)/v2.0/"),
      json("HTTPS://contoso.b2clogin.com/\(tenant)/v2.0/")),
    [
      templated("of a tenant that tid does not name", tenant, tid: "9188040d-6c67-4c5b-b112-36a304b66dad"),
      templated("of a template without tid", tenant, tid: nil),
      templated("that is the template itself", "{tenantid}", tid: "{tenantid}"),
    ],
    claim(
      "aud", " aud", nil, json("other"), json("\(client)x"), json(client.uppercased()), "[]", #"["a","b"]"#,
      "[\(json(client)),1]"),
    claim("azp", " azp", json("other"), "null"),
    [
      .claims("several aud without azp", breaking: " azp", ["aud": #"["\#(client)","other"]"#]),
      .claims(
        "several aud, ours by azp", breaking: "it is also for",
        ["aud": #"["\#(client)","other"]"#, "azp": json(client)]),
    ],
    claim("sub", "no sub", nil, json("")),
    [
      .claims(
        "sub points to an oid that is missing", breaking: "refers to oid",
        ["sub": json("Not supported currently. Use oid claim."), "oid": nil])
    ],
  ]

  static let times: [[IDTokenChange]] = [
    claim(
      "exp", "its exp", nil, "null", "true", json("tomorrow"), json("nan"), json("1e999"), json("0x7fffffff"), json(""),
      "1800003600000", "1e300", "-1"),
    claim("exp", "it expired", "\(now - 300)", "0", json("\(now - 301)")),
    claim("nbf", "it becomes valid", "\(now + 301)"), claim("nbf", "its nbf", json("soon")),
    claim("iat", "it was issued", "\(now + 301)"), claim("iat", "its iat", nil, "{}"),
  ]

  static let request: [[IDTokenChange]] = [
    claim("nonce", " nonce", nil, json("n-0S6_WzA2Mk"), json(""), #"["n-0S6_WzA2Mj"]"#, json("N-0S6_WZA2MJ")),
    claim("tfp", " policy", nil, json("B2C_1_EditProfile"), "1"),
    [
      .claims("acr of another policy", breaking: " policy", ["tfp": nil, "acr": json("b2c_1_editprofile")]),
      .claims(
        "tfp of another policy, acr of ours", breaking: " policy",
        ["tfp": json("B2C_1_Edit"), "acr": json("b2c_1_signin")]),
      IDTokenChange("tfp with a letter that only folds to ours", " policy") {
        $0.expectations.policy = "B2C_1_Kiosk"
        $0.payload["tfp"] = json("B2C_1_\u{212A}iosk")
      },
      .hash("of another token", breaking: "its at_hash", json("SL8j94FVdxDzoUOD-fWy2g"), of: "access"),
      .hash("no text", breaking: "its at_hash", "null"),
      .hash("of RS256 by SHA-512", breaking: "its at_hash", json("lvYPQ_i12mQ1QsgqujDyHLsdJUj2lQie9NmQuKZBSy8")),
      .hash("of Ed25519 by SHA-384", breaking: "its at_hash", json("sUnWY0EhD-Etwa6N0tI4X8jJV_UvtN0q"), by: .ed25519),
    ],
  ]
}

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
