import B2CCore
import B2CIDToken
import Foundation
import TestSupport
import Testing

@Suite("Published JOSE vectors")
struct IDTokenVerifierVectorsTests {
  static let signed: [(String, JWSAlgorithm, String, String)] = [
    ("RFC 7515 A.2", .rs256, rs256, rs256Keys), ("RFC 7515 A.3", .es256, es256, es256Keys),
    ("RFC 7515 A.4", .es512, es512, es512Keys), ("RFC 7520 4.2", .ps384, cookbookPS384, cookbookRSAKeys),
    ("RFC 8037 A.4", .edDSA, ed25519, ed25519Keys),
  ]

  @Test("A published signature is good by its algorithm for its payload, and for nothing else", arguments: signed)
  func signature(_ source: String, _ algorithm: JWSAlgorithm, _ compact: String, _ keySet: String) throws {
    let token = try IDToken(compact: Secret(compact))
    let keys = try JWKSet(json: Data(keySet.utf8))
    #expect(token.algorithm == algorithm)
    #expect(throws: Never.self) { try token.verifySignature(keys: keys, allowed: [algorithm]) }

    let others = Set<JWSAlgorithm>.openIDConnect.subtracting([algorithm])
    expectError(ConnectorError.self, .invalidResponse, saying: " alg") {
      try token.verifySignature(keys: keys, allowed: others)
    }
    var parts = compact.split(separator: ".").map(String.init)
    parts[1] = Base64URL.encode(#"{"iss":"mallory"}"#.utf8)
    let changed = try IDToken(compact: Secret(parts.joined(separator: ".")))
    expectError(ConnectorError.self, .invalidResponse, saying: "its signature is not") {
      try changed.verifySignature(keys: keys, allowed: [algorithm])
    }
  }
}

/// Signatures and keys that the standards print, letter by letter; key sets are the printed public keys in a set.
extension IDTokenVerifierVectorsTests {
  /// RFC 7515 appendix A.2.
  private static let rs256 = """
    eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ\
    .cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7AAuHIm4Bh-0Qc_lF5YKt_O8W2Fp5jujGbds9uJdbF9CUAr7t1d\
    nZcAcQjbKBYNX4BAynRFdiuB--f_nZLgrnbyTyWzO75vRK5h6xBArLIARNPvkSjtQBMHlb1L07Qe7K0GarZRmB_eSN9383LcOLn6_dO--xi12jzDwus\
    C-eOkHWEsqtFZESc6BfI7noOPqvhJ1phCnvWh6IeYI2w9QOYEUipUTI8np6LbgGY9Fs98rqVt5AXLIhWkWywlVmtVrBp0igcN_IoypGlUPQGe77Rw
    """

  /// The public key of RFC 7515 appendix A.2.
  private static let rs256Keys = """
    {"keys":[{"kty":"RSA","n":"ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4qPCJrcS2mJPMEzP1Pt\
    0Bm4d4QlL-yRT-SFd2lZS-pCgNMsD1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7OMg0LOL-bSf63kpaSHSXndS5z5rexMdbBYUsLA9e-KXBdQO\
    S-UTo7WTBEMa2R2CapHg665xsmtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6_I5IhlJH7aGhyxXFvUK-DWNmoudF8NAco9_h9iaGNj8q2ethFkMLs91kz\
    k2PAcDTW9gb54h4FRWyuXpoQ","e":"AQAB"}]}
    """

  /// RFC 7515 appendix A.3.
  private static let es256 = """
    eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ\
    .DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q
    """

  /// The public key of RFC 7515 appendix A.3.
  private static let es256Keys = """
    {"keys":[{"kty":"EC","crv":"P-256","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU","y":"x_FEzRu9m36HLN_tue659LNpX\
    W6pCyStikYjKIWI5a0"}]}
    """

  /// RFC 7515 appendix A.4.
  private static let es512 = """
    eyJhbGciOiJFUzUxMiJ9.UGF5bG9hZA.AdwMgeerwtHoh-l192l60hp9wAHZFVJbLfD_UxMi70cwnZOYaRI1bKPWROc-mZZqwqT2SI-KGDKB34XO0aw\
    _7XdtAG8GaSwFKdCAPZgoXD2YBJZCPEX3xKpRwcdOO8KpEHwJjyqOgzDO7iKvU8vcnwNrmxYbSW9ERBXukOXolLzeO_Jn
    """

  /// The public key of RFC 7515 appendix A.4.
  private static let es512Keys = """
    {"keys":[{"kty":"EC","crv":"P-521","x":"AekpBQ8ST8a8VcfVOTNl353vSrDCLLJXmPk06wTjxrrjcBpXp5EOnYG_NjFZ6OvLFV1jSfS9tsz\
    4qUxcWceqwQGk","y":"ADSmRA43Z1DSNx_RvcLI87cdL07l6jQyyBXMoxVg_l2Th-x3S1WDhjDly79ajL4Kkd0AZMaZmh9ubmf63e3kyMj2"}]}
    """

  /// RFC 7520 section 4.2.
  private static let cookbookPS384 = """
    eyJhbGciOiJQUzM4NCIsImtpZCI6ImJpbGJvLmJhZ2dpbnNAaG9iYml0b24uZXhhbXBsZSJ9.SXTigJlzIGEgZGFuZ2Vyb3VzIGJ1c2luZXNzLCBGcm\
    9kbywgZ29pbmcgb3V0IHlvdXIgZG9vci4gWW91IHN0ZXAgb250byB0aGUgcm9hZCwgYW5kIGlmIHlvdSBkb24ndCBrZWVwIHlvdXIgZmVldCwgdGhlc\
    mXigJlzIG5vIGtub3dpbmcgd2hlcmUgeW91IG1pZ2h0IGJlIHN3ZXB0IG9mZiB0by4.cu22eBqkYDKgIlTpzDXGvaFfz6WGoz7fUDcfT0kkOy42miAh\
    2qyBzk1xEsnk2IpN6-tPid6VrklHkqsGqDqHCdP6O8TTB5dDDItllVo6_1OLPpcbUrhiUSMxbbXUvdvWXzg-UD8biiReQFlfz28zGWVsdiNAUf8ZnyP\
    EgVFn442ZdNqiVJRmBqrYRXe8P_ijQ7p8Vdz0TTrxUeT3lm8d9shnr2lfJT8ImUjvAA2Xez2Mlp8cBE5awDzT0qI0n6uiP1aCN_2_jLAeQTlqRHtfa6\
    4QQSUmFAAjVKPbByi7xho0uTOcbH510a6GYmJUAfmWjwZ6oD4ifKo8DYM-X72Eaw
    """

  /// RFC 7520 section 3.3.
  private static let cookbookRSAKeys = """
    {"keys":[{"kty":"RSA","kid":"bilbo.baggins@hobbiton.example","use":"sig","n":"n4EPtAOCc9AlkeQHPzHStgAbgs7bTZLwUBZdR\
    8_KuKPEHLd4rHVTeT-O-XV2jRojdNhxJWTDvNd7nqQ0VEiZQHz_AJmSCpMaJMRBSFKrKb2wqVwGU_NsYOYL-QtiWN2lbzcEe6XC0dApr5ydQLrHqkHH\
    ig3RBordaZ6Aj-oBHqFEHYpPe7Tpe-OfVfHd1E6cS6M1FZcD1NNLYD5lFHpPI9bTwJlsde3uhGqC0ZCuEHg8lhzwOHrtIQbS0FVbb9k3-tVTU4fg_3L\
    _vniUFAKwuCLqKnS2BYwdq_mzSnbLY7h_qixoR7jig3__kRhuaxwUkRz5iaiQkqgc5gHdrNP5zw","e":"AQAB"}]}
    """

  /// RFC 8037 appendix A.4.
  private static let ed25519 = """
    eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc.hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iy\
    lGjg5BhVsPt9g7sVvpAr_MuM0KAg
    """

  /// RFC 8037 appendix A.2.
  private static let ed25519Keys = """
    {"keys":[{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}]}
    """
}
