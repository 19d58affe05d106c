import B2CCore
import Foundation
import Testing

@Suite struct Base64URLTests {
  // RFC 4648 section 10, without padding.
  @Test(arguments: [
    ("", ""), ("f", "Zg"), ("fo", "Zm8"), ("foo", "Zm9v"), ("foob", "Zm9vYg"), ("fooba", "Zm9vYmE"),
    ("foobar", "Zm9vYmFy"),
  ])
  func vectors(text: String, encoded: String) {
    #expect(Base64URL.encode(text.utf8) == encoded)
    #expect(Base64URL.decode(encoded) == Data(text.utf8))
  }

  // RFC 7515 appendix C.
  @Test func theAlphabetIsSafeInURLs() {
    #expect(Base64URL.encode([3, 236, 255, 224, 193]) == "A-z_4ME")
    #expect(Base64URL.decode("A-z_4ME") == Data([3, 236, 255, 224, 193]))
  }

  @Test func everyByteComesBack() {
    for length in 0...260 {
      let bytes = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ length) }
      let text = Base64URL.encode(bytes)
      #expect(!text.contains("="))
      #expect(Base64URL.decode(text) == Data(bytes))
    }
  }

  @Test(arguments: ["A", "AAAAA", "Zg==", "Zm9v ", "Zm 9", "+/+/", "Zm9é", "Zh", "Zm9", "\n"])
  func refused(text: String) {
    #expect(Base64URL.decode(text) == nil)
  }
}
