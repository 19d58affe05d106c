import B2CTokenCache
import Testing

@Suite struct TokenCacheKeyTests {
  @Test func caseMakesNoDifference() {
    let upper = TokenCacheKey(
      authority: "HTTPS://Contoso.B2CLogin.com/Tenant", policy: "B2C_1_X", clientID: "ABC", accountID: "OID.TID")
    let lower = TokenCacheKey(
      authority: "https://contoso.b2clogin.com/tenant", policy: "b2c_1_x", clientID: "abc", accountID: "oid.tid")
    #expect(upper == lower)
    #expect(upper.canonicalText == lower.canonicalText)
  }

  @Test(arguments: ["", "a|b", "%7c", "a b", "ü/\u{1F511}", "\n"])
  func textTellsTheKey(_ odd: String) {
    let key = TokenCacheKey(authority: odd, policy: odd + "p", clientID: odd, accountID: "x" + odd)
    #expect(TokenCacheKey(canonicalText: key.canonicalText) == key)
  }

  @Test(arguments: ["", "a|b|c", "a|b|c|d|e", "A|b|c|d", "encryption-keys", "a b|c|d|e"])
  func otherTextIsNoKey(_ text: String) {
    #expect(TokenCacheKey(canonicalText: text) == nil)
  }
}
