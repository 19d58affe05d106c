import B2CCore
import B2CIDToken
import Foundation
import Testing

#if !canImport(Security)
  import CryptoExtras
#endif

@Suite("A key set")
struct JWKSetTests {
  @Test("leaves out what it does not know and keeps the rest, in order, also behind a byte order mark")
  func tolerant() throws {
    let good = try IDTokenSigner.rsa.get().entry(#""alg":"RS256","x5c":["MIIC"],"issuer":"https://example.com""#)
    let text = """
      \u{FEFF}{"keys":[null,1,"x",[],{},{"kty":"oct","k":"AAAA","kid":"hmac"},{"kty":"LWE","kid":"new"},{"kty":5},
      \(good),\(IDTokenSigner.p256.entry()),\(IDTokenSigner.p384.entry(#""use":"enc""#))],"next":true}
      """
    let keys = try JWKSet(json: Data(text.utf8)).keys
    #expect(keys.map(\.keyID) == ["rsa", "P-256", "P-384"] && keys.map(\.algorithm) == [.rs256, nil, nil])
    #expect(keys.map(\.unsuitability) == [nil, nil, "is not for signatures"])
    #expect(keys.map { $0.canVerify(anyOf: .openIDConnect) } == [true, true, false])
    #expect(keys.map { $0.canVerify(anyOf: .microsoft) } == [true, false, false])
  }

  @Test(
    "that is none is refused",
    arguments: ["", "[]", "null", "{}", #"{"keys":{}}"#, #"{"keys":[}"#, "<html></html>", #"{"keys":[],"keys":[]}"#])
  func refused(_ text: String) {
    #expect(throws: ConnectorError.self) { try JWKSet(json: Data(text.utf8)) }
  }

  @Test("is read up to 64 keys and 1 MiB")
  func bounded() throws {
    let entries = Array(repeating: IDTokenSigner.ed25519.entry(), count: 200).joined(separator: ",")
    #expect(try JWKSet(json: Data("{\"keys\":[\(entries)]}".utf8)).keys.count == 64)
    let padding = String(repeating: " ", count: JWKSet.maximumLength)
    #expect(throws: ConnectorError.self) { try JWKSet(json: Data("{\"keys\":[]}\(padding)".utf8)) }
  }

  private static let x32 = String(repeating: "A", count: 43)

  /// The fields of an RSA key whose modulus is made of so many letters of base64url and a last one.
  private static func rsa(_ count: Int, of letter: Character = "_", last: Character, e: String = "AQAB") -> String {
    #""kty":"RSA","n":"\#(String(repeating: letter, count: count))\#(last)","e":"\#(e)""#
  }

  private static func ec(_ curve: String, x: String, y: String) -> String {
    #""kty":"EC","crv":"\#(curve)","x":"\#(x)","y":"\#(y)""#
  }

  /// The fields of a key as JSON, and the reason why it is not used.
  static let unsuitable: [(String, String)] = [
    (#""kty":"RSA""#, "has no usable n"), (#""kty":"RSA","n":"not base64!","e":"AQAB""#, "has no usable n"),
    (#""kty":"RSA","n":1,"e":"AQAB""#, "has no usable n"), (#""kty":"RSA","n":"AQAB""#, "has no usable e"),
    (rsa(170, last: "8"), "has 1024 bits, not 2048 to 8192"), (rsa(339, last: "_"), "has 2040 bits, not 2048 to 8192"),
    (rsa(1366, last: "8"), "has 8200 bits, not 2048 to 8192"),
    (rsa(2730, last: "w"), "has 16384 bits, not 2048 to 8192"),
    // Zeros in front are no bits.
    (rsa(399, of: "A", last: "_"), "has 6 bits, not 2048 to 8192"),
    (rsa(341, last: "w", e: "AQ"), "has an unsafe exponent"),
    (rsa(341, last: "w", e: "AAAB"), "has an unsafe exponent"),
    (rsa(341, last: "w", e: "AQAA"), "has an unsafe exponent"),
    (rsa(341, last: "w", e: "AA"), "has an unsafe exponent"),
    (rsa(341, last: "w", e: "____________"), "has an unsafe exponent"),
    // An even modulus.
    (rsa(343, last: "-"), "is not an RSA key"),
    (#""kty":"EC","crv":"P-256","x":"AA""#, "has no usable y"),
    (ec("P-256", x: "AA", y: "AA"), "has coordinates that do not fit its curve"),
    (ec("P-384", x: x32, y: x32), "has coordinates that do not fit its curve"),
    (ec("secp256k1", x: x32, y: x32), "is on an unknown curve"),
    (ec("P-256", x: x32, y: x32), "is not a point on its curve"),
    (#""kty":"OKP","crv":"X25519","x":"\#(x32)""#, "is on an unknown curve"),
    (#""kty":"OKP","crv":"Ed25519","x":"AAAA""#, "is not an Ed25519 key"),
    (#""kty":"RSA","use":"enc""#, "is not for signatures"),
    (#""kty":"RSA","key_ops":["sign"]"#, "is not for verifying"),
    (#""kty":"RSA","key_ops":"verify""#, "is not for verifying"),
  ]

  @Test("says why it does not use a key", arguments: unsuitable)
  func unusable(_ fields: String, _ detail: String) throws {
    let keys = try JWKSet(json: Data("{\"keys\":[{\(fields)}]}".utf8)).keys
    #expect(keys.map(\.unsuitability) == [detail])
  }
}

@Suite("The DER of an RSA key")
struct RSAPublicKeyDERTests {
  static let examples: [(modulus: [UInt8], exponent: [UInt8], encoded: [UInt8])] = [
    ([0x7F], [3], [0x30, 6, 2, 1, 0x7F, 2, 1, 3]), ([0x80], [1, 0, 1], [0x30, 9, 2, 2, 0, 0x80, 2, 3, 1, 0, 1]),
    ([0, 0, 0x23], [0, 3], [0x30, 6, 2, 1, 0x23, 2, 1, 3]), ([0], [], [0x30, 6, 2, 1, 0, 2, 1, 0]),
    (x55(127), [3], [0x30, 0x81, 0x84, 2, 0x7F] + x55(127) + [2, 1, 3]),
    (x55(128), [3], [0x30, 0x81, 0x86, 2, 0x81, 0x80] + x55(128) + [2, 1, 3]),
    (
      [UInt8](repeating: 0xFF, count: 256), [1, 0, 1],
      [0x30, 0x82, 1, 0x0A, 2, 0x82, 1, 1, 0] + [UInt8](repeating: 0xFF, count: 256) + [2, 3, 1, 0, 1]
    ),
  ]

  private static func x55(_ count: Int) -> [UInt8] { [UInt8](repeating: 0x55, count: count) }

  @Test(
    "is a sequence of two positive integers in shortest form (X.690 sections 8.3, 8.9 and 10.1)", arguments: examples)
  func encoding(modulus: [UInt8], exponent: [UInt8], encoded: [UInt8]) {
    #expect(RSAPublicKeyDER.encode(modulus: modulus, exponent: exponent) == Data(encoded))
  }

  #if !canImport(Security)
    @Test("is the same that swift-crypto writes", arguments: [2048, 2056, 3072])
    func sameAsSwiftCrypto(bits: Int) throws {
      let key = try RSATestKey(bits: bits)
      let expected = try _RSA.Signing.PublicKey(n: key.modulus, e: key.exponent).pkcs1DERRepresentation
      #expect(RSAPublicKeyDER.encode(modulus: Array(key.modulus), exponent: Array(key.exponent)) == expected)
    }
  #endif
}
