import B2CConnector
import Observation

/// Waits until an observed model shows what is wanted; the suite's time limit ends a wait in vain.
@MainActor
func waitUntil(_ condition: () -> Bool) async {
  while !condition() {
    await withCheckedContinuation { continuation in
      withObservationTracking {
        _ = condition()
      } onChange: {
        continuation.resume()
      }
    }
  }
}

/// A cache that no call gets through to.
final class RefusingCache: TokenCache {
  private let error: ConnectorError

  init(_ error: ConnectorError) { self.error = error }

  func record(for key: TokenCacheKey) async throws -> TokenRecord? { throw error }
  func store(_ record: TokenRecord, for key: TokenCacheKey) async throws { throw error }
  func removeRecord(for key: TokenCacheKey) async throws { throw error }
  func keys() async throws -> [TokenCacheKey] { throw error }
}
