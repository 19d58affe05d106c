package import B2CCore
package import Foundation

/// A step that the engine reports when it happens; `Connector.Event.Step` says what each one means.
package enum OAuthStep: String, Sendable {
  case signInStarted, signInFinished, cacheHit, cacheMiss, refreshStarted, refreshShared, refreshFinished
  case staleTokenServed, storingFailed, retry, signedOut
}

/// Receives each step with its policy, its correlation id and the code of its error.
package typealias OAuthReport =
  @Sendable (_ step: OAuthStep, _ policyID: String?, _ correlationID: UUID?, _ errorCode: ErrorCode?) -> Void
