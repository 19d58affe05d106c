/// Lets other tasks run until a condition holds, for what a test cannot wait for in another way.
///
/// - Throws: `CancellationError` when the calling task is cancelled, so that a test's time limit ends a wait in vain.
package func yielding(
  until condition: () async throws -> Bool, isolation: isolated (any Actor)? = #isolation
) async throws {
  while try await !condition() {
    try Task.checkCancellation()
    await Task.yield()
  }
}
