internal import B2CCore

/// The id_tokens of refreshes that are verified after their access tokens were returned.
///
/// Each is verified in a task without a parent: a caller of a refresh waits for its access token, and a child task would
/// make it wait for metadata and keys as well. The task belongs to the client's services, ends with its last request, and
/// is waited for where claims are read.
final class ClaimAdoptions: Sendable {
  private let underWay = Monitor<[String: Int]>([:])

  /// Starts work on a user's claims.
  func start(for userID: String, _ work: @escaping @Sendable () async -> Void) {
    underWay.withLock { $0[userID, default: 0] += 1 }
    Task { [underWay] in
      await work()
      underWay.withLock { counts in
        counts[userID] = counts[userID].flatMap { $0 > 1 ? $0 - 1 : nil }
      }
    }
  }

  /// Waits until the work on any user's claims that is under way now has ended.
  ///
  /// - Throws: `CancellationError` when the calling task is cancelled first.
  func wait() async throws {
    for userID in underWay.withLock({ Array($0.keys) }) { try await wait(for: userID) }
  }

  /// Waits until no work on a user's claims is under way.
  ///
  /// - Throws: `CancellationError` when the calling task is cancelled first.
  func wait(for userID: String) async throws {
    try await underWay.wait { $0[userID] == nil }
  }
}
