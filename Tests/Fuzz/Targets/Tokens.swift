import B2CCore
import Crypto
import Foundation

@testable import B2CIDToken

extension FuzzTarget {
  /// id_tokens.
  ///
  /// After a first byte of 0 to 127 the input is a token, in which `VALID` becomes a good one; after any other byte it is a
  /// header and a payload, one line each, which are signed here.
  static let tokens = FuzzTarget(
    name: "tokens", growthSize: 5 << 10, parse: { _ = try? verify(compact($0)) }, check: checkTokens)

  private static let key = try? Curve25519.Signing.PrivateKey(rawRepresentation: (1...32).map { UInt8($0) })
  private static let issuer = "https://login.contoso.com/v2.0/"
  private static let nonce = "n0S6_WzA2Mj-4kq1vT9sYx7bLr3uEoPdGhCfIaJmKwQ"
  private static let now = Date(timeIntervalSince1970: 1_800_000_000)
  private static let header = #"{"alg":"EdDSA","kid":"1"}"#
  private static let payload =
    #"{"iss":"\#(issuer)","sub":"1","aud":"client","exp":1800003600,"iat":1800000000,"nonce":"\#(nonce)","#
    + #""tfp":"B2C_1_x"}"#
  private static let valid = signed(header, payload)

  private static let keys: JWKSet? = {
    guard let key else { return nil }
    let x = Base64URL.encode(key.publicKey.rawRepresentation)
    return try? JWKSet(json: Data(#"{"keys":[{"kty":"OKP","crv":"Ed25519","kid":"1","x":"\#(x)"}]}"#.utf8))
  }()

  private static func signed(_ header: String, _ payload: String) -> String {
    let input = Base64URL.encode(header.utf8) + "." + Base64URL.encode(payload.utf8)
    let signature = (try? key?.signature(for: Data(input.utf8))) ?? Data()
    return input + "." + Base64URL.encode(signature)
  }

  private static func isSigned(_ input: [UInt8]) -> Bool { (input.first ?? 0) > 127 }

  private static func compact(_ input: [UInt8]) -> String {
    let text = String(decoding: input.dropFirst(), as: UTF8.self)
    guard isSigned(input) else { return text.replacing("VALID", with: valid) }
    let lines = text.split(separator: "\n", maxSplits: 1, omittingEmptySubsequences: false)
    return signed(String(lines[0]), lines.count > 1 ? String(lines[1]) : payload)
  }

  private static func verify(_ compact: String) throws(IDTokenRejection) -> IDTokenClaims {
    let expectations = IDTokenExpectations(
      clientID: "client", issuer: .exact(issuer), nonce: Secret(nonce), policy: "B2C_1_x", now: now,
      previous: ["iss": .string(issuer), "sub": "1", "aud": "client"], accessToken: Secret("access"),
      allowedAlgorithms: .openIDConnect)
    let token = try IDToken(compact: Secret(compact))
    guard let keys else { throw IDTokenRejection(.unknownKey, "BROKEN: no keys") }
    return try IDTokenVerifier().verify(token, keys: keys, expectations: expectations)
  }

  @Sendable private static func checkTokens(_ input: [UInt8]) throws {
    let compact = compact(input)
    do throws(IDTokenRejection) {
      let claims = try verify(compact)
      guard isSigned(input) || compact == valid else {
        throw IDTokenRejection(.signature, "BROKEN: a token is accepted that was not signed")
      }
      // Foundation's reading of an accepted payload has to show the same.
      let payload = compact.split(separator: ".")[1]
      guard let data = Base64URL.decode(payload),
        let fields = (try? JSONDecoder().decode([String: JSONValue].self, from: data)),
        isSame(.object(fields), .object(claims.all)),
        fields["iss"] == .string(issuer), fields["sub"] == "1", fields["nonce"] == .string(nonce),
        fields["aud"] == "client" || fields["aud"] == ["client"] || fields["azp"] == "client",
        claims.expiration > now.addingTimeInterval(-300), claims.issuedAt <= now.addingTimeInterval(300)
      else { throw IDTokenRejection(.signature, "BROKEN: accepted with the claims \(claims.all)") }
    } catch {
      try expect(!error.detail.hasPrefix("BROKEN"), error.detail)
      // A header that names the nonce gets it back hidden, as everything that looks like a token; policies do not.
      let shown = "\(error) \(error.detail)"
      try expect(!shown.contains(nonce) || shown.lowercased().contains("b2c_1"), "the nonce is shown: \(error.detail)")
      try expect(error.detail.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F }, "not printable")
      try expect(error.detail.count < 400, "a reason of \(error.detail.count) characters")
    }
  }
}
