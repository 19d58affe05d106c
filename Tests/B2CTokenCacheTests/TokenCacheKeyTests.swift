import B2CTokenCache
import Testing

@Suite struct TokenCacheKeyTests {
  @Test(
    "Parts are equal only byte by byte",
    arguments: [
      ("Victim42", "vICTIM42"), ("kim", "\u{212A}im"), ("ren\u{E9}", "rene\u{301}"), ("\u{C5}", "\u{212B}"),
      ("TodoApp", "todoapp"), ("https://idp.example/Prod", "https://idp.example/prod"),
    ])
  func byteExact(_ one: String, _ other: String) {
    for (left, right) in Self.pairs(one, other) {
      #expect(left != right)
      #expect(left == TokenCacheKey(canonicalText: left.canonicalText))
      #expect(left.canonicalText != right.canonicalText)
      #expect(Set([left, right]).count == 2)
    }
  }

  /// Two keys that differ in one part, for each part.
  private static func pairs(_ one: String, _ other: String) -> [(TokenCacheKey, TokenCacheKey)] {
    func keys(_ make: (String) -> TokenCacheKey) -> (TokenCacheKey, TokenCacheKey) { (make(one), make(other)) }
    return [
      keys { TokenCacheKey(authority: $0, clientID: "c", userID: "u") },
      keys { TokenCacheKey(authority: "x", clientID: $0, userID: "u") },
      keys { TokenCacheKey(authority: "x", clientID: "c", userID: $0) },
    ]
  }

  @Test("A key is read back from its canonical text", arguments: ["", "a|b", "%7c", "a b", "ü/\u{1F511}", "\n"])
  func canonicalText(_ odd: String) {
    let key = TokenCacheKey(authority: odd, clientID: odd + "c", userID: "x" + odd)
    #expect(TokenCacheKey(canonicalText: key.canonicalText) == key)
  }

  @Test(
    "Any other text is not a key", arguments: ["", "a|b", "a|b|c|d", "B2CConnector.probe", "a b|c|d", "a|b|%6a"])
  func otherText(_ text: String) {
    #expect(TokenCacheKey(canonicalText: text) == nil)
  }
}
