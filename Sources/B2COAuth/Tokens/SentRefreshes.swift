internal import B2CCore
internal import Foundation

/// The refreshes whose refresh token was sent: their answers are stored, though every caller may have left.
final class SentRefreshes: Sendable {
  private let underWay = Monitor<Set<UUID>>([])

  /// Notes that a refresh sends its token.
  func begin(_ id: UUID) {
    underWay.withLock { _ = $0.insert(id) }
  }

  /// Notes that a refresh has ended, whether its token was sent or not.
  func end(_ id: UUID) {
    underWay.withLock { _ = $0.remove(id) }
  }

  /// Waits until the refreshes that are under way now have ended; later ones do not make it longer.
  ///
  /// - Throws: `CancellationError` when the calling task is cancelled first.
  func wait() async throws {
    let ids = underWay.withLock { $0 }
    try await underWay.wait { $0.isDisjoint(with: ids) }
  }
}
