import B2CCore
import B2CIDToken
import Foundation
import TestSupport

#if canImport(CryptoKit)
  import CryptoKit
#else
  import Crypto
#endif

extension FuzzTarget {
  /// id_tokens.
  ///
  /// After a first byte of 0 to 127 the input is a token, in which the names of ``good`` become good ones; after any other
  /// byte it is a header and a payload, one line each, which are signed here.
  static let tokens = FuzzTarget(
    name: "tokens", growthSize: 5 << 10, parse: { _ = try? verify(compact($0)) }, check: checkTokens)

  private static let key = try? Curve25519.Signing.PrivateKey(rawRepresentation: (1...32).map { UInt8($0) })
  private static let curve25519X = key.map { Base64URL.encode($0.publicKey.rawRepresentation) } ?? ""
  private static let issuer = "https://login.contoso.com/v2.0/"
  private static let nonce = "n0S6_WzA2Mj-4kq1vT9sYx7bLr3uEoPdGhCfIaJmKwQ"
  private static let now = Date(timeIntervalSince1970: 1_800_000_000)
  private static let header = #"{"alg":"EdDSA","kid":"1"}"#
  private static let payload =
    #"{"iss":"\#(issuer)","sub":"1","aud":"client","exp":1800003600,"iat":1800000000,"nonce":"\#(nonce)","#
    + #""tfp":"B2C_1_x"}"#
  /// Good tokens, by their names in an input; with `_INPUT`, without the dot and the signature.
  private static let good: [String: String] = [
    "ED_TOKEN": signed(header, payload),
    "RS_TOKEN": signingInput(#"{"alg":"RS256","kid":"2"}"#, payload) + "." + rsaSignature,
    "ES_TOKEN": signingInput(#"{"alg":"ES256","kid":"3"}"#, payload) + "." + curveSignature,
  ]

  /// The names of good tokens that are refused: none, or nothing here is proved.
  private static let refusedGood = good.filter { (try? verify($0.value)) == nil }.keys

  private static let keys = try? JWKSet(
    json: Data(
      """
      {"keys":[{"kty":"OKP","crv":"Ed25519","kid":"1","x":"\(curve25519X)"},
      {"kty":"RSA","kid":"2","e":"AQAB","n":"\(modulus)"},
      {"kty":"EC","crv":"P-256","kid":"3","x":"\(curveX)","y":"\(curveY)"}]}
      """.utf8))

  // Made once with Python's cryptography for `payload`. Nobody has the private keys.
  private static let curveX = "dSf3sGVogi9ku9ZX4W5QAQ-NDhriqIOBkYHA4GmTu0c"
  private static let curveY = "LU3qbBc65NTBij1DPJC9-MLb-loWg2nPOLUN2F3ca4c"
  private static let modulus = """
    2ClHehZ220aiVMed30-hRTIUw_6ZzsT08RHeKgHId3DamONGomGHjNnw122ncmKcoi-F1TFall_TtOc8F3KwDI7FPuIp_0R0tdbU5-iGKyyMya\
    sa6bfoVbzHqf05qRGb00tfLWvghehcChcbn5Hvsj8FFxTqze7ZXeXR91_D7acN8fLh9CpWibjmdjrfFTOowlKqcmtLmYetXBjoAro77tGwKJGw\
    AH9_GspD5qPvxb3M_uEZude7aCvpAY0eFKW-rv034qOVHu_po_eE1XbziTASd-hzguNOhg12wlJHYuvvE3tXtl-yA7wInBINf5T5IGOT-SNK2X\
    39wPZ9r1s4yw
    """
  private static let rsaSignature = """
    koJdQcIQhTsKrQjGKdMDbQXlJih2oXwqPqJpB7R-nCnwkZNFWe_TrvbNUB4xqxzSXZ144yGJKmJ8qdYOtFeOVueqZGV7t9eNL6KBssl6tDjL4I\
    DvTWH5xhG3Lv01zP3I9I0GD7BNf9dyrlCqiZn7c3KCilKUCasvrqXeFQLq5xbdm82QZREnCCs34-Go6aodl6lHgkveiGu-c66-97svRFA99Mcg\
    xstwmaoiePV9f3EYjHUdqdNjysQlq8GEobO-uLlSdXxGYbAGX5ECcV1_a5DTW3THc6LgLWDFNuLa78cjJCufV5P0ZfofUSj6uYQCfp4bM4h-id\
    oOarEfTfiM-g
    """
  private static let curveSignature = """
    HNAXPPztdiaGUuN_1nETA-eMbKfUATDRndN1Vh_NX8BVNECwYDKvaMM0_whgLn5FbUjzw6eo5lbUyfpK4so7cQ
    """

  private static func signingInput(_ header: String, _ payload: String) -> String {
    Base64URL.encode(header.utf8) + "." + Base64URL.encode(payload.utf8)
  }

  private static func signed(_ header: String, _ payload: String) -> String {
    let input = signingInput(header, payload)
    let signature = (try? key?.signature(for: Data(input.utf8))) ?? Data()
    return input + "." + Base64URL.encode(signature)
  }

  private static func isSigned(_ input: [UInt8]) -> Bool { (input.first ?? 0) > 127 }

  private static func compact(_ input: [UInt8]) -> String {
    let text = String(decoding: input.dropFirst(), as: UTF8.self)
    guard isSigned(input) else {
      return good.reduce(text) { text, pair in
        let input = pair.value.prefix(upTo: pair.value.lastIndex(of: ".") ?? pair.value.endIndex)
        return text.replacing(pair.key, with: pair.value)
          .replacing(pair.key.replacing("_TOKEN", with: "_INPUT"), with: input)
      }
    }
    let lines = text.split(separator: "\n", maxSplits: 1, omittingEmptySubsequences: false)
    return signed(String(lines[0]), lines.count > 1 ? String(lines[1]) : payload)
  }

  private static func verify(_ compact: String) throws(ConnectorError) -> [String: JSONValue] {
    var expectations = IDTokenExpectations(clientID: "client", issuer: .exact(issuer), now: now, skew: .seconds(300))
    expectations.nonce = Secret(nonce)
    expectations.policy = "B2C_1_x"
    expectations.accessToken = Secret("access")
    expectations.allowedAlgorithms = .openIDConnect
    guard let keys else { throw ConnectorError(idToken: "no keys") }
    return try expectations.verify(IDToken(compact: Secret(compact)), keys: keys)
  }

  @Sendable private static func checkTokens(_ input: [UInt8]) throws {
    try expect(refusedGood.isEmpty, "good tokens are refused: \(refusedGood)")
    let compact = compact(input)
    let claims: [String: JSONValue]
    do throws(ConnectorError) {
      claims = try verify(compact)
    } catch {
      // A header that names the nonce gets it back hidden, as everything that looks like a token; policies do not.
      let shown = "\(error) \(error.message)"
      try expect(!shown.contains(nonce) || shown.lowercased().contains("b2c_1"), "the nonce is shown: \(error.message)")
      try expect(isPrintable(error.message), "not printable")
      return try expect(error.message.count < 400, "a reason of \(error.message.count) characters")
    }
    try expect(isSigned(input) || good.values.contains(compact), "a token is accepted that was not signed")
    // Foundation must read the same in an accepted payload.
    guard let data = Base64URL.decode(String(compact.split(separator: ".")[1])),
      let fields = (try? JSONDecoder().decode([String: JSONValue].self, from: data)),
      isSame(.object(fields), .object(claims)),
      fields["iss"] == .string(issuer), fields["nonce"] == .string(nonce),
      [fields["sub"], fields["oid"]].contains(where: { $0?.string?.isEmpty == false }),
      fields["aud"] == "client" || fields["aud"] == ["client"] || fields["azp"] == "client",
      let expiration = fields["exp"].flatMap(NumericDate.date), expiration > now.addingTimeInterval(-300),
      let issuedAt = fields["iat"].flatMap(NumericDate.date), issuedAt <= now.addingTimeInterval(300)
    else { throw Failure("accepted with the claims \(claims)") }
  }
}
