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

  @Test("A lock that is not released in time is named, with a fix")
  func lock() async throws {
    let temporary = try TemporaryDirectory()
    let holder = try FileTokenCache(directory: temporary.store)
    let waiter = try FileTokenCache(directory: temporary.store, lockTimeout: .zero)
    try await holder.withRefreshLock(for: Samples.key) {
      let error = await failure { try await waiter.withRefreshLock(for: Samples.key) {} }
      #expect(error?.code == .lockTimedOut)
      #expect(error?.message.contains(temporary.url.path + "/store/") == true)
      #expect(error?.recoverySuggestion?.contains("lockTimeout") == true)
    }
  }
}
