import B2CConnector
import B2CTestKit
import B2CTokenCache
import Foundation
import TestSupport
import Testing

@Suite("A sign-out and a directory that cannot be flushed")
struct SignOutFlushTests {
  @Test("A sign-out that finds no record flushes what another process could not", arguments: [true, false])
  func flushesForOthers(recovers: Bool) async throws {
    let scene = Scene(limits: .standard)
    let parent = try TemporaryDirectory()
    defer { parent.remove() }
    let directory = parent.url.appendingPathComponent("store")
    let (files, otherFiles) = (WatchedFileSystem(), WatchedFileSystem())
    let first = try scene.connector(cache: try StoredTokenCache.process(at: directory, files: files))
    let other = try scene.connector(cache: try StoredTokenCache.process(at: directory, files: otherFiles))
    try await first.doPolicy(.signIn)
    files.failToFlushDirectories()
    await expectError(ConnectorError.self, .tokenCache) { try await first.signOut() }
    otherFiles.failToFlushDirectories(!recovers)
    _ = otherFiles.takeCalls()
    if recovers {
      try await other.signOut()
      #expect(otherFiles.takeCalls() == ["flush store"])
    } else {
      await expectError(ConnectorError.self, .tokenCache) { try await other.signOut() }
    }
  }
}
