import B2CCore
import Foundation
import Testing

@Suite struct Base64URLTests {
  // RFC 4648 section 10, without padding.
  @Test(
    "Text is encoded without padding, and decoded",
    arguments: [
      ("", ""), ("f", "Zg"), ("fo", "Zm8"), ("foo", "Zm9v"), ("foob", "Zm9vYg"), ("fooba", "Zm9vYmE"),
      ("foobar", "Zm9vYmFy"),
    ])
  func vectors(text: String, encoded: String) {
    #expect(Base64URL.encode(text.utf8) == encoded)
    #expect(Base64URL.decode(encoded) == Data(text.utf8))
  }

  // RFC 7515 appendix C.
  @Test("The alphabet is safe in URLs")
  func alphabet() {
    #expect(Base64URL.encode([3, 236, 255, 224, 193]) == "A-z_4ME")
    #expect(Base64URL.decode("A-z_4ME") == Data([3, 236, 255, 224, 193]))
  }

  @Test("Every byte comes back")
  func bytes() {
    for length in 0...260 {
      let bytes = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ length) }
      let text = Base64URL.encode(bytes)
      #expect(!text.contains("="))
      #expect(Base64URL.decode(text) == Data(bytes))
    }
  }

  @Test(
    "Another alphabet, padding, spaces and unused bits are refused",
    arguments: ["A", "AAAAA", "Zg==", "Zm9v ", "Zm 9", "+/+/", "Zm9é", "Zh", "Zm9", "\n"])
  func refused(text: String) {
    #expect(Base64URL.decode(text) == nil)
  }
}
