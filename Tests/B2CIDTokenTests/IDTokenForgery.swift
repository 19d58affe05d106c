import B2CCore
import B2CIDToken
import Foundation
import Testing

/// A fault in the id_token of a sign-in, and the rule that must notice it.
struct IDTokenForgery: Sendable, CustomTestStringConvertible {
  let testDescription: String
  /// A part of the error's message.
  let fault: String
  let apply: @Sendable (inout IDTokenScene) throws -> Void

  init(
    _ testDescription: String, _ fault: String,
    _ apply: @escaping @Sendable (inout IDTokenScene) throws -> Void
  ) {
    self.testDescription = testDescription
    self.fault = fault
    self.apply = apply
  }

  static let all = form + header + keys + signatures + origin + times + request
}

extension IDTokenForgery {
  private static func mangle(
    _ testDescription: String, _ fault: String = "its ",
    _ mangle: @escaping @Sendable (_ parts: [String]) -> String
  ) -> IDTokenForgery {
    IDTokenForgery(testDescription, fault) { scene in
      scene.mangle = { mangle($0.split(separator: ".", omittingEmptySubsequences: false).map(String.init)) }
    }
  }

  private static func payload(_ testDescription: String, _ text: String) -> IDTokenForgery {
    IDTokenForgery("payload \(testDescription)", "its ") { scene in
      let signer = scene.signer
      let header = scene.header.text
      let token = try signer.token(header: header, payload: text, algorithm: "RS256")
      scene.mangle = { _ in token }
    }
  }

  private static func signed(
    _ testDescription: String, by signer: IDTokenSigner, _ algorithm: String
  ) -> IDTokenForgery {
    IDTokenForgery(testDescription, "its signature is not") {
      $0.expectations.allowedAlgorithms = .openIDConnect
      $0.use(signer, algorithm)
    }
  }

  static let form: [IDTokenForgery] = [
    mangle("empty", "it must have three parts") { _ in "" },
    mangle("no dots", "it must have three parts") { $0.joined() },
    mangle("two parts", "it must have three parts") { $0[0] + "." + $0[1] },
    mangle("four parts", "it must have three parts") { $0.joined(separator: ".") + ".AA" },
    mangle("dot at the end", "it must have three parts") { $0.joined(separator: ".") + "." },
    mangle("five parts", "encrypted token") { $0.joined(separator: ".") + ".AA.AA" },
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
    mangle("larger than 64 KiB", "bytes") { $0.joined(separator: ".") + String(repeating: "A", count: 65_536) },
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
    IDTokenForgery("payload is no UTF-8", "its ") { scene in
      let signer = scene.signer
      let bytes = Data("{\"iss\":\"".utf8) + Data([0xC3, 0x28]) + Data("\"}".utf8)
      let input = Base64URL.encode(scene.header.text.utf8) + "." + Base64URL.encode(bytes)
      let token = input + "." + Base64URL.encode(try signer.sign(Data(input.utf8), "RS256"))
      scene.mangle = { _ in token }
    },
    IDTokenForgery("claim twice", "twice") { $0.payload.add("aud", "\"other\"") },
    IDTokenForgery("claim twice, once escaped", "twice") { $0.payload.add("is\\u0073", "\"other\"") },
    IDTokenForgery("claim twice within a claim", "twice") { $0.payload["extra"] = "{\"a\":1,\"a\":1}" },
    IDTokenForgery("header member twice", "twice") { $0.header.add("alg", "\"none\"") },
  ]

  static let header: [IDTokenForgery] = [
    IDTokenForgery("alg none without signature", " alg") {
      $0.header["alg"] = "\"none\""
      $0.signer = $0.signer.signing(Data())
    },
    IDTokenForgery("alg None", " alg") { $0.header["alg"] = "\"None\"" },
    IDTokenForgery("alg NONE", " alg") { $0.header["alg"] = "\"NONE\"" },
    IDTokenForgery("alg nOnE on the list", " alg") {
      $0.header["alg"] = "\"nOnE\""
      $0.expectations.allowedAlgorithms.insert(JWSAlgorithm(rawValue: "nOnE"))
    },
    IDTokenForgery("alg none on the list", " alg") {
      $0.header["alg"] = "\"none\""
      $0.signer = $0.signer.signing(Data())
      $0.expectations.allowedAlgorithms.insert(JWSAlgorithm(rawValue: "none"))
    },
    IDTokenForgery("alg missing", " alg") { $0.header["alg"] = nil },
    IDTokenForgery("alg empty", " alg") { $0.header["alg"] = "\"\"" },
    IDTokenForgery("alg no text", " alg") { $0.header["alg"] = "[\"RS256\"]" },
    IDTokenForgery("alg in lower case", " alg") { $0.header["alg"] = "\"rs256\"" },
    IDTokenForgery("alg with a blank", " alg") { $0.header["alg"] = "\"RS256 \"" },
    IDTokenForgery("HS256 with the public key as its secret", " alg") {
      $0.signer = .hmac(withPublicKeyOf: $0.signer)
      $0.header["alg"] = "\"HS256\""
    },
    IDTokenForgery("HS256 on the list", " alg") {
      $0.signer = .hmac(withPublicKeyOf: $0.signer)
      $0.header["alg"] = "\"HS256\""
      $0.expectations.allowedAlgorithms.insert(JWSAlgorithm(rawValue: "HS256"))
    },
    IDTokenForgery("RSA1_5 of encryption", " alg") { $0.header["alg"] = "\"RSA1_5\"" },
    IDTokenForgery("good PS256 where only RS256 is allowed", " alg") { $0.use($0.signer, "PS256") },
    IDTokenForgery("crit", "its header has") { $0.header["crit"] = "[\"exp\"]" },
    IDTokenForgery("crit, empty", "its header has") { $0.header["crit"] = "[]" },
    IDTokenForgery("b64", "its header has") { $0.header["b64"] = "false" },
    IDTokenForgery("zip", "its header has") { $0.header["zip"] = "\"DEF\"" },
    IDTokenForgery("enc", "encrypted token") { $0.header["enc"] = "\"A128GCM\"" },
    IDTokenForgery("typ of an access token", "its typ") { $0.header["typ"] = "\"at+jwt\"" },
    IDTokenForgery("typ of a logout token", "its typ") { $0.header["typ"] = "\"logout+jwt\"" },
    IDTokenForgery("typ no text", "its typ") { $0.header["typ"] = "null" },
    IDTokenForgery("kid no text", "its ") { $0.header["kid"] = "1" },
  ]

  static let keys: [IDTokenForgery] = [
    IDTokenForgery("kid of no key", "publishes no key") { $0.header["kid"] = "\"nobody\"" },
    IDTokenForgery("kid that differs in case", "publishes no key") { $0.header["kid"] = "\"RSA\"" },
    IDTokenForgery("kid that only looks the same", "publishes no key") {
      $0.signer = $0.signer.withKeyID("K")
      $0.keys = [$0.signer.entry()]
      $0.header["kid"] = "\"\u{212A}\""
    },
    IDTokenForgery("kid like a path", "publishes no key") { $0.header["kid"] = "\"../../dev/null\"" },
    IDTokenForgery("no keys at all", "publishes no key") { $0.keys = [] },
    IDTokenForgery("no keys and no kid", "publishes no key") {
      $0.header["kid"] = nil
      $0.keys = []
    },
    IDTokenForgery("kid of another key", "its signature is not") {
      let other = try IDTokenSigner.otherRSA.get()
      $0.keys.append(other.entry())
      $0.header["kid"] = "\"other\""
    },
    IDTokenForgery("key of another policy", "publishes no key") {
      $0.signer = try IDTokenSigner.otherRSA.get()
      $0.header["kid"] = "\"other\""
    },
    IDTokenForgery("key of another policy under our kid", "its signature is not") {
      $0.signer = try IDTokenSigner.otherRSA.get()
    },
    IDTokenForgery("key in the header", "its signature is not") {
      $0.signer = try IDTokenSigner.otherRSA.get()
      $0.header["jwk"] = $0.signer.entry()
      $0.header["jku"] = "\"https://attacker.example/keys\""
    },
    IDTokenForgery("no kid and no key that fits", "the issuer's key ") {
      $0.header["kid"] = nil
      $0.keys = [IDTokenSigner.p256.entry(), IDTokenSigner.ed25519.entry()]
    },
    IDTokenForgery("key of 1024 bits", "the issuer's key ") { $0.use(try IDTokenSigner.weakRSA.get(), "RS256") },
    IDTokenForgery("key for encryption", "the issuer's key ") { $0.keys = [$0.signer.entry("\"use\":\"enc\"")] },
    IDTokenForgery("key for signing only", "the issuer's key ") {
      $0.keys = [$0.signer.entry("\"key_ops\":[\"sign\"]")]
    },
    IDTokenForgery("key of another alg", "the issuer's key ") { $0.keys = [$0.signer.entry("\"alg\":\"RS512\"")] },
    IDTokenForgery("key of another kind than alg", "the issuer's key ") {
      $0.keys = [IDTokenSigner.p256.withKeyID("rsa").entry()]
    },
    IDTokenForgery("ES256 with a P-384 key", "the issuer's key ") {
      $0.expectations.allowedAlgorithms = .openIDConnect
      $0.use(IDTokenSigner.p384, "ES256")
    },
    IDTokenForgery("even exponent", "the issuer's key ") {
      $0.keys = [$0.signer.entry().replacingOccurrences(of: "\"e\":\"AQAB\"", with: "\"e\":\"AQAA\"")]
    },
    IDTokenForgery("exponent one, which any signature fits", "the issuer's key ") {
      $0.keys = [$0.signer.entry().replacingOccurrences(of: "\"e\":\"AQAB\"", with: "\"e\":\"AQ\"")]
    },
  ]

  static let signatures: [IDTokenForgery] = [
    mangle("signature empty", "its signature is not") { $0[0] + "." + $0[1] + "." },
    mangle("signature cut", "its signature is not") { $0[0] + "." + $0[1] + "." + String($0[2].dropLast(6)) + "AA" },
    mangle("signature lengthened", "its signature is not") { $0[0] + "." + $0[1] + ".AAAA" + $0[2] },
    mangle("signature with one bit flipped", "its signature is not") {
      $0[0] + "." + $0[1] + "." + ($0[2].hasPrefix("A") ? "B" : "A") + $0[2].dropFirst()
    },
    mangle("payload of another token", "its signature is not") {
      $0[0] + "." + Base64URL.encode("{\"sub\":\"admin\"}".utf8) + "." + $0[2]
    },
    mangle("header of another token", "its signature is not") {
      Base64URL.encode("{\"kid\":\"rsa\",\"alg\":\"RS256\"}".utf8) + "." + $0[1] + "." + $0[2]
    },
    IDTokenForgery("signature of zeros", "its signature is not") { $0.signer = $0.signer.signing(Data(count: 256)) },
    IDTokenForgery("signature of ones", "its signature is not") {
      $0.signer = $0.signer.signing(Data(repeating: 0xFF, count: 256))
    },
    IDTokenForgery("PSS under PKCS #1's name", "its signature is not") { $0.algorithm = "PS256" },
    IDTokenForgery("PKCS #1 under PSS's name", "its signature is not") {
      $0.expectations.allowedAlgorithms = .openIDConnect
      $0.header["alg"] = "\"PS256\""
    },
    IDTokenForgery("SHA-512 under SHA-256's name", "its signature is not") { $0.algorithm = "RS512" },
    signed("ES256 in DER", by: .p256WithDER, "ES256"),
    signed("ES256 with r and s zero", by: .p256.signing(Data(count: 64)), "ES256"),
    signed("ES384 with r and s zero", by: .p384.signing(Data(count: 96)), "ES384"),
    signed("ES512 with r and s zero", by: .p521.signing(Data(count: 132)), "ES512"),
    signed("ES256 with an empty signature", by: .p256.signing(Data()), "ES256"),
    signed("EdDSA of zeros", by: .ed25519.signing(Data(count: 64)), "EdDSA"),
  ]
}
