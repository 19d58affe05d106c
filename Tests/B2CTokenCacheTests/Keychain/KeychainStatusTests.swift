import B2CTokenCache
import Testing

@Suite("What the keychain's refusals mean")
struct KeychainStatusTests {
  static let rows: [(KeychainStatus, TokenCacheError.Code, words: String)] = [
    (.missingEntitlement, .missingEntitlement, "Keychain Sharing with any group"),
    (.missingEntitlement, .missingEntitlement, "FileTokenCache"),
    (.missingEntitlement, .missingEntitlement, "Sign the app"),
    (.notAvailable, .unwritable, "no passcode"), (.notAvailable, .unwritable, "whenPasscodeSet"),
    (.notAvailable, .unwritable, "Services without a user session"),
    (.authenticationFailed, .unwritable, "no passcode"), (.authenticationFailed, .unwritable, "allow the app"),
    (.interactionNotAllowed, .unwritable, "unlocked"),
  ]

  @Test("Each has its code and the sentence that fixes it", arguments: rows.indices)
  func words(_ index: Int) {
    let row = Self.rows[index]
    let error = row.0.error(.unwritable, "write a token record")
    #expect(error.code == row.1)
    #expect(error.description.contains(row.words), "\(error)")
    #expect(error.message.contains("(OSStatus \(row.0.rawValue))"))
  }
}
