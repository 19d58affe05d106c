import B2CTokenCache
import Foundation
import Testing

@Suite struct EncryptionKeyTests {
  @Test(arguments: [0, 16, 31, 33])
  func aKeyHas32Bytes(_ count: Int) {
    let error = #expect(throws: TokenCacheError.self) {
      try EncryptionKey(id: "a", bytes: Data(repeating: 1, count: count))
    }
    #expect(error?.code == .encryptionUnavailable)
  }

  @Test func aKeyHasAName() {
    #expect(throws: TokenCacheError.self) { try EncryptionKey(id: "", bytes: Data(repeating: 1, count: 32)) }
  }

  @Test func freshKeysDiffer() {
    let keys = (0..<100).map { _ in EncryptionKey.random() }
    #expect(Set(keys.map(\.bytes)).count == 100)
    #expect(Set(keys.map(\.id)).count == 100)
  }

  @Test func theBytesAreNotPrinted() throws {
    let key = try EncryptionKey(id: "name", bytes: Data("canary-canary-canary-canary-0000".utf8))
    var text = "\(key)" + String(reflecting: key)
    dump(key, to: &text)
    #expect(text.contains("name"))
    #expect(!text.contains("canary") && !text.contains("99, 97") && !text.contains("32 bytes"))
  }
}
