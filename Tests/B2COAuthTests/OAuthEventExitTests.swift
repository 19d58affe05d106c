// Exit tests came with Swift 6.2, for the systems where a process can start another one.
#if compiler(>=6.2) && (os(macOS) || os(Linux))
  import B2COAuth
  import Foundation
  import Testing

  /// Standard error that cannot be written to.
  extension OAuthEventTests {
    @Test("A full disk behind standard error does not end the process")
    func fullDisk() async {
      await #expect(processExitsWith: .success) {
        guard dup2(open("/dev/full", O_WRONLY), 2) == 2 else { return }
        OAuthEvent.toStandardError(OAuthEvent(.cacheHit))
      }
    }

    @Test("A closed standard error does not end the process")
    func closedStandardError() async {
      await #expect(processExitsWith: .success) {
        close(2)
        OAuthEvent.toStandardError(OAuthEvent(.cacheHit))
      }
    }
  }
#endif
