public import B2CCore
public import Foundation

/// A step of the client, reported as it happens.
///
/// Nothing in it is secret.
public struct OAuthEvent: Sendable, Hashable {
  /// The steps that are reported.
  package enum Step: String, Sendable {
    case signInStarted, signInFinished, cacheHit, cacheMiss, refreshStarted, refreshShared, refreshFinished
    case staleTokenServed, storingFailed, retry, signedOut
  }

  /// The step's name.
  ///
  /// - `signInStarted`, `signInFinished`: a sign-in has begun, or ended, well or with an error.
  /// - `cacheHit`, `cacheMiss`: a cached access token served a call, or none did.
  /// - `refreshStarted`, `refreshFinished`: a refresh token is being used, or was, well or with an error.
  /// - `refreshShared`: a call waits for a refresh that another has started.
  /// - `staleTokenServed`: a refresh failed, and a token that has not expired yet was served.
  /// - `storingFailed`: the cache could not store a refreshed token; it is served from memory and stored as soon as it can
  ///   be.
  /// - `retry`: a request is sent again, to an API too, after an answer or failure that the error code names.
  /// - `signedOut`: users were removed from this device.
  public var step: String
  /// The policy concerned.
  public var policyID: String?
  /// The correlation id of the requests concerned; requests to APIs have that of the settings only.
  public var correlationID: UUID?
  /// The code of the error, if the step failed.
  public var errorCode: ErrorCode?

  /// Makes an event.
  ///
  /// - Parameters:
  ///   - step: The step's name.
  ///   - policyID: The policy concerned.
  ///   - correlationID: The correlation id of the requests concerned.
  ///   - errorCode: The code of the error, if the step failed.
  public init(
    step: String, policyID: String? = nil, correlationID: UUID? = nil, errorCode: ErrorCode? = nil
  ) {
    self.step = step
    self.policyID = policyID
    self.correlationID = correlationID
    self.errorCode = errorCode
  }
}

extension OAuthEvent: CustomStringConvertible {
  /// Step, policy, error, reason and correlation id in one line.
  public var description: String {
    var words = [step]
    if let policyID { words.append("policy=\(PrintableText.plain(policyID, limit: 128))") }
    if let errorCode { words.append("error=\(errorCode.rawValue)") }
    if let correlationID { words.append("correlation=\(correlationID.uuidString.lowercased())") }
    return words.joined(separator: " ")
  }
}
