import B2CTokenCache
import Foundation
import Testing

@Suite(.timeLimit(.minutes(10))) struct TokenCacheErrorTests {
  @Test("The message and the fix reach code that knows errors as LocalizedError only")
  func localized() {
    let error: any Error = TokenCacheError(.unwritable, "The disk is full.", recoverySuggestion: "Free some space.")
    #expect(error.localizedDescription == "The disk is full.")
    #expect((error as? any LocalizedError)?.recoverySuggestion == "Free some space.")
    #expect("\(error)" == "unwritable: The disk is full. Free some space.")
  }
}
