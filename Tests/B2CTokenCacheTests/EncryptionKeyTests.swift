import B2CTokenCache
import Foundation
import Testing

@Suite struct EncryptionKeyTests {
  @Test("A key has 32 bytes", arguments: [0, 16, 31, 33])
  func size(_ count: Int) {
    let error = #expect(throws: TokenCacheError.self) { try EncryptionKey(bytes: Data(repeating: 1, count: count)) }
    #expect(error?.code == .encryptionUnavailable)
  }

  @Test("The bytes are not printed")
  func secrecy() throws {
    let key = try EncryptionKey(bytes: Data("canary-canary-canary-canary-0000".utf8))
    var text = "\(key)" + String(reflecting: key)
    dump(key, to: &text)
    #expect(text.contains("EncryptionKey("))
    for hint in ["canary", "99, 97", "32 bytes", "Y2FuYXJ5"] { #expect(!text.contains(hint)) }
  }
}
