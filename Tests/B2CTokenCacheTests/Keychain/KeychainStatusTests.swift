import B2CTokenCache
import Testing

@Suite("What the keychain's refusals mean")
struct KeychainStatusTests {
  static let rows: [(KeychainStatus, isRetryable: Bool, words: String)] = [
    (.missingEntitlement, false, "Keychain Sharing with any group"), (.missingEntitlement, false, ".files()"),
    (.missingEntitlement, false, "Sign the app"),
    (.notAvailable, false, "no passcode"), (.notAvailable, false, "Services without a user session"),
    (.authenticationFailed, false, "no passcode"), (.authenticationFailed, false, "allow the app"),
    (.interactionNotAllowed, true, "unlocked"), (.undecodable, false, "sign in again"),
    (KeychainStatus(rawValue: -50), false, "(OSStatus -50)"),
  ]

  @Test("Each has the sentence that fixes it, and only that of a locked device may pass", arguments: rows.indices)
  func words(_ index: Int) {
    let row = Self.rows[index]
    let error = row.0.cacheError("write a token record")
    #expect(error.code == .tokenCache && error.isRetryable == row.isRetryable)
    #expect(error.description.contains(row.words), "\(error)")
    #expect(error.message.contains("(OSStatus \(row.0.rawValue))"))
    #expect(error.underlying as? KeychainStatus == row.0)
  }
}
