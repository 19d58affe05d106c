import B2CCore
import B2CIDToken
import Foundation
import Testing

@Suite("A key set")
struct JWKSetTests {
  private static let x32 = String(repeating: "A", count: 43)

  @Test("leaves out what it does not know and keeps the rest, in order")
  func tolerant() throws {
    let good = try IDTokenSigner.rsa.get().entry(
      "\"x5t\":\"abc\",\"x5c\":[\"MIIC\"],\"issuer\":\"https://example.com\"")
    let json = """
      {"keys":[null,1,"x",[],{},{"kty":"oct","k":"AAAA","kid":"hmac"},{"kty":"LWE","kid":"new"},{"kty":5},
      \(good),\(IDTokenSigner.p256.entry())],"next":true}
      """
    let keys = try JWKSet(json: Data(json.utf8)).keys
    #expect(keys.map(\.keyID) == ["rsa", "p256"])
    #expect(keys.map(\.unsuitability) == [nil, nil])
  }

  @Test("may begin with a byte order mark")
  func byteOrderMark() throws {
    let json = "\u{FEFF}{\"keys\":[\(IDTokenSigner.p256.entry())]}"
    #expect(try JWKSet(json: Data(json.utf8)).keys.count == 1)
  }

  @Test(
    "that is none is refused",
    arguments: ["", "[]", "null", "{}", "{\"keys\":{}}", "{\"keys\":[}", "<html></html>", "{\"keys\":[],\"keys\":[]}"])
  func refused(_ json: String) {
    #expect(throws: ConnectorError.self) { try JWKSet(json: Data(json.utf8)) }
  }

  @Test("is read up to 64 keys and 1 MiB")
  func bounded() throws {
    let entries = Array(repeating: IDTokenSigner.ed25519.entry(), count: 200).joined(separator: ",")
    #expect(try JWKSet(json: Data("{\"keys\":[\(entries)]}".utf8)).keys.count == 64)
    let padding = String(repeating: " ", count: JWKSet.maximumLength)
    #expect(throws: ConnectorError.self) { try JWKSet(json: Data("{\"keys\":[]}\(padding)".utf8)) }
  }

  struct Unsuitable: Sendable {
    let entry: String
    let detail: String

    init(_ members: String, _ detail: String) {
      entry = "{" + members + "}"
      self.detail = detail
    }

    /// An RSA key whose modulus is made of so many letters of base64url and a last one.
    static func rsa(_ count: Int, _ letter: Character, _ last: Character, e: String, _ detail: String) -> Unsuitable {
      Unsuitable("\"kty\":\"RSA\",\"n\":\"\(String(repeating: letter, count: count))\(last)\",\"e\":\"\(e)\"", detail)
    }
  }

  static let unsuitable: [Unsuitable] = [
    Unsuitable("\"kty\":\"RSA\"", "has no usable n"),
    Unsuitable("\"kty\":\"RSA\",\"n\":\"not base64!\",\"e\":\"AQAB\"", "has no usable n"),
    Unsuitable("\"kty\":\"RSA\",\"n\":1,\"e\":\"AQAB\"", "has no usable n"),
    Unsuitable("\"kty\":\"RSA\",\"n\":\"AQAB\"", "has no usable e"),
    .rsa(170, "_", "8", e: "AQAB", "has 1024 bits, not 2048 to 8192"),
    .rsa(339, "_", "_", e: "AQAB", "has 2040 bits, not 2048 to 8192"),
    .rsa(1366, "_", "8", e: "AQAB", "has 8200 bits, not 2048 to 8192"),
    .rsa(2730, "_", "w", e: "AQAB", "has 16384 bits, not 2048 to 8192"),
    // Zeros in front are no bits.
    .rsa(399, "A", "_", e: "AQAB", "has 6 bits, not 2048 to 8192"),
    .rsa(341, "_", "w", e: "AQ", "has an unsafe exponent"),
    .rsa(341, "_", "w", e: "AAAB", "has an unsafe exponent"),
    .rsa(341, "_", "w", e: "AQAA", "has an unsafe exponent"),
    .rsa(341, "_", "w", e: "AA", "has an unsafe exponent"),
    .rsa(341, "_", "w", e: "____________", "has an unsafe exponent"),
    // An even modulus.
    .rsa(343, "_", "-", e: "AQAB", "is not an RSA key"),
    Unsuitable("\"kty\":\"EC\",\"crv\":\"P-256\",\"x\":\"AA\"", "has no usable y"),
    Unsuitable(
      "\"kty\":\"EC\",\"crv\":\"P-256\",\"x\":\"AA\",\"y\":\"AA\"",
      "has coordinates that do not fit its curve"),
    Unsuitable(
      "\"kty\":\"EC\",\"crv\":\"P-384\",\"x\":\"\(x32)\",\"y\":\"\(x32)\"",
      "has coordinates that do not fit its curve"),
    Unsuitable(
      "\"kty\":\"EC\",\"crv\":\"secp256k1\",\"x\":\"\(x32)\",\"y\":\"\(x32)\"", "is on an unknown curve"),
    Unsuitable("\"kty\":\"EC\",\"crv\":\"P-256\",\"x\":\"\(x32)\",\"y\":\"\(x32)\"", "is not a point on its curve"),
    Unsuitable("\"kty\":\"OKP\",\"crv\":\"X25519\",\"x\":\"\(x32)\"", "is on an unknown curve"),
    Unsuitable("\"kty\":\"OKP\",\"crv\":\"Ed25519\",\"x\":\"AAAA\"", "is not an Ed25519 key"),
    Unsuitable("\"kty\":\"RSA\",\"use\":\"enc\"", "is not for signatures"),
    Unsuitable("\"kty\":\"RSA\",\"key_ops\":[\"sign\"]", "is not for verifying"),
    Unsuitable("\"kty\":\"RSA\",\"key_ops\":\"verify\"", "is not for verifying"),
  ]

  @Test("says why it does not use a key", arguments: unsuitable)
  func unusable(_ key: Unsuitable) throws {
    let keys = try JWKSet(json: Data("{\"keys\":[\(key.entry)]}".utf8)).keys
    #expect(keys.map(\.unsuitability) == [key.detail])
  }
}
