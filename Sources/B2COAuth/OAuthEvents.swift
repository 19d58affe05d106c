package import B2CCore
package import Foundation

/// A step that the engine reports when it happens; `Connector.Event.Step` documents each one.
package enum OAuthStep: String, Sendable {
  case signInStarted, signInFinished, cacheHit, cacheMiss, refreshStarted, refreshShared, refreshFinished
  case staleTokenServed, storingFailed, retry, signedOut
}

/// A receiver of each step with its policy, its correlation id and the code of its error.
package typealias OAuthReport =
  @Sendable (_ step: OAuthStep, _ policyID: String?, _ correlationID: UUID?, _ errorCode: ErrorCode?) -> Void

/// The reporter of steps, which also gives each call its correlation id.
struct OAuthEvents: Sendable {
  let report: OAuthReport
  /// The correlation id of the settings, or `nil` if each call gets its own.
  let fixedID: UUID?

  /// Returns the correlation id of a new call.
  func correlationID() -> UUID { fixedID ?? UUID() }

  func emit(_ step: OAuthStep, _ policyID: String?, _ correlationID: UUID? = nil, error: ErrorCode? = nil) {
    report(step, policyID, correlationID ?? fixedID, error)
  }

  /// Runs a sign-in, or its second half, and reports its start and its end.
  func signingIn<Result>(
    policyID: String?, correlationID: UUID, hasBegun: Bool = false, _ body: () async throws -> Result
  ) async throws -> Result {
    if !hasBegun { emit(.signInStarted, policyID, correlationID) }
    do {
      let result = try await body()
      emit(.signInFinished, policyID, correlationID)
      return result
    } catch {
      // A cancelled call throws `CancellationError`, whatever the app's presenter, cache or transport threw.
      let code = Task.isCancelled ? ErrorCode(rawValue: "cancelled") : (error as? ConnectorError)?.code ?? .other
      emit(.signInFinished, policyID, correlationID, error: code)
      throw error
    }
  }
}
