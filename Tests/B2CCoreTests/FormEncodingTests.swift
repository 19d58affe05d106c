import B2CCore
import Testing

@Suite struct FormEncodingTests {
  // RFC 3986 section 2.3: the unreserved set stays, all else is escaped.
  @Test(
    "Everything but the unreserved characters is escaped",
    arguments: [
      ("", ""), ("AZaz09-._~", "AZaz09-._~"), (" ", "%20"), ("+", "%2B"),
      ("a+b;c'd/e:f?g@h", "a%2Bb%3Bc%27d%2Fe%3Af%3Fg%40h"),
      ("é", "%C3%A9"), ("😀", "%F0%9F%98%80"), ("%", "%25"), ("&=#", "%26%3D%23"), ("\u{0}\n", "%00%0A"), ("*", "%2A"),
    ])
  func escaping(text: String, escaped: String) {
    #expect(FormEncoding.escape(text) == escaped)
    #expect(FormEncoding.unescape(escaped) == text)
  }

  @Test(
    "A plus sign is a space, and what is no escape is kept",
    arguments: [
      ("a+b", "a b"), ("%zz", "%zz"), ("%", "%"), ("%4", "%4"), ("%41%", "%41%"), ("%e9", "%e9"), ("%2b", "+"),
      ("100%25", "100%"), ("%%41", "%%41"),
    ])
  func unescaping(text: String, plain: String) {
    #expect(FormEncoding.unescape(text) == plain)
  }

  @Test("Pairs are written in their order")
  func encoding() {
    #expect(FormEncoding.encode([]) == "")
    #expect(FormEncoding.encode([("b", "1 2"), ("a", ""), ("b", "&")]) == "b=1%202&a=&b=%26")
  }

  @Test("Every pair is read, also one without a name or a value")
  func decoding() {
    let pairs = FormEncoding.decode("b=1+2&a&&c=x=y&=z&%62=%26")
    #expect(pairs.map(\.name) == ["b", "a", "c", "", "b"])
    #expect(pairs.map(\.value) == ["1 2", "", "x=y", "z", "&"])
    #expect(FormEncoding.decode("").isEmpty)
  }

  @Test("A plus sign is a plus sign in a path, and a space in a query")
  func plusSigns() {
    #expect(FormEncoding.percentDecode("a+b%2Bc%20d") == "a+b+c d")
    #expect(FormEncoding.unescape("a+b%2Bc%20d") == "a b+c d")
  }
}
