import B2CCore
import Foundation
import Testing

@Suite struct SecretTests {
  private static let canary = "canary-7f3a"

  @Test("Every way of showing a secret gives [redacted]")
  func shown() {
    struct Holder { let token = Secret(SecretTests.canary) }
    let secret = Secret(Self.canary)
    var dumped = ""
    dump(Holder(), to: &dumped)
    let shown = [
      secret.description, secret.debugDescription, "\(secret)", "\([secret])", "\(Optional(secret) as Any)",
      String(describing: secret), String(reflecting: secret), "\(Holder())", String(reflecting: Holder()), dumped,
      "\(["token": secret])",
    ]
    for text in shown { #expect(!text.contains(Self.canary)) }
    #expect(secret.description == "[redacted]" && secret.debugDescription == "[redacted]")
    #expect(Mirror(reflecting: secret).children.isEmpty)
  }

  @Test("Coding keeps the text")
  func coding() throws {
    let data = try JSONEncoder().encode([Secret(Self.canary)])
    #expect(String(decoding: data, as: UTF8.self) == #"["canary-7f3a"]"#)
    #expect(try JSONDecoder().decode([Secret].self, from: data).first?.value == Self.canary)
    #expect(throws: DecodingError.self) { try JSONDecoder().decode([Secret].self, from: Data("[1]".utf8)) }
  }

  @Test(
    "Secrets are equal if their bytes are",
    arguments: [("a", "a", true), ("", "", true), ("a", "b", false), ("a", "ab", false), ("ab", "ba", false)])
  func comparing(left: String, right: String, isEqual: Bool) {
    #expect(Secret(left).isEqualInConstantTime(to: Secret(right)) == isEqual)
    #expect((Secret(left) == Secret(right)) == isEqual)
  }

  @Test(
    "Secrets that Swift takes for the same text are different",
    arguments: [("é", "e\u{301}"), ("K", "\u{212A}"), (";", "\u{37E}")])
  func sameText(left: String, right: String) {
    #expect(left == right && Secret(left) != Secret(right))
    #expect(!Secret(left).isEqualInConstantTime(to: Secret(right)))
    #expect(Set([Secret(left), Secret(right), Secret(left)]).count == 2)
  }
}
