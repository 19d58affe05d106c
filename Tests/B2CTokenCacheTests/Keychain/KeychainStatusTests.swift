import B2CCore
import B2CTokenCache
import Testing

@Suite("What the keychain's refusals mean on each system")
struct KeychainStatusTests {
  static let rows: [(KeychainStatus, HostSystem, TokenCacheError.Code, words: String)] = [
    (.missingEntitlement, .mac, .missingEntitlement, "add Keychain Sharing, with any group"),
    (.missingEntitlement, .mac, .missingEntitlement, "FileTokenCache"),
    (.missingEntitlement, .device, .missingEntitlement, "Sign the app"),
    (.missingEntitlement, .other, .missingEntitlement, "Sign the app"),
    (.notAvailable, .device, .unwritable, "without a passcode"),
    (.notAvailable, .device, .unwritable, "whenPasscodeSet"),
    (.authenticationFailed, .device, .unwritable, "without a passcode"),
    (.authenticationFailed, .mac, .unwritable, "allow the app"),
    (.notAvailable, .mac, .unwritable, "Services without a user session"),
    (.notAvailable, .other, .unwritable, "Services without a user session"),
    (.interactionNotAllowed, .device, .unwritable, "unlocked"),
  ]

  @Test("Each has its code and the sentence that fixes it", arguments: rows.indices)
  func words(_ index: Int) {
    let row = Self.rows[index]
    let error = row.0.error(.unwritable, "write a token record", on: row.1)
    #expect(error.code == row.2)
    #expect(error.description.contains(row.words), "\(error)")
    #expect(error.message.contains("(OSStatus \(row.0.rawValue))"))
  }
}
