public import B2CCore
public import Foundation

/// A step of the client, reported as it happens.
///
/// Nothing in it is secret.
public struct OAuthEvent: Sendable, Hashable {
  /// The kind of an event, as an open set.
  public struct Kind: RawRepresentable, Sendable, Hashable {
    /// The kind's stable name.
    public var rawValue: String

    /// Makes a kind from its stable name.
    ///
    /// - Parameter rawValue: The name.
    public init(rawValue: String) {
      self.rawValue = rawValue
    }

    /// A sign-in has begun.
    public static let signInStarted = Kind(rawValue: "signInStarted")
    /// A sign-in has ended, well or with an error.
    public static let signInFinished = Kind(rawValue: "signInFinished")
    /// A cached access token served a call.
    public static let cacheHit = Kind(rawValue: "cacheHit")
    /// No cached access token served a call.
    public static let cacheMiss = Kind(rawValue: "cacheMiss")
    /// A refresh token is being used.
    public static let refreshStarted = Kind(rawValue: "refreshStarted")
    /// A call waits for a refresh that another has started.
    public static let refreshShared = Kind(rawValue: "refreshShared")
    /// A refresh has ended, well or with an error.
    public static let refreshFinished = Kind(rawValue: "refreshFinished")
    /// A refresh failed, and a token that has not expired yet was served.
    public static let staleTokenServed = Kind(rawValue: "staleTokenServed")
    /// The cache could not store a refreshed token; it is served from memory and stored as soon as it can be.
    public static let storingFailed = Kind(rawValue: "storingFailed")
    /// A request is sent again.
    public static let retry = Kind(rawValue: "retry")
    /// Users were removed from this device.
    public static let signedOut = Kind(rawValue: "signedOut")
  }

  /// The kind of the event.
  public var kind: Kind
  /// The policy concerned.
  public var policyID: String?
  /// The correlation id of the requests concerned.
  public var correlationID: UUID?
  /// The code of the error, if the step failed.
  public var errorCode: ErrorCode?

  /// Makes an event.
  ///
  /// - Parameters:
  ///   - kind: What happened.
  ///   - policyID: The policy concerned.
  ///   - correlationID: The correlation id of the requests concerned.
  ///   - errorCode: The code of the error, if the step failed.
  public init(
    _ kind: Kind, policyID: String? = nil, correlationID: UUID? = nil, errorCode: ErrorCode? = nil
  ) {
    self.kind = kind
    self.policyID = policyID
    self.correlationID = correlationID
    self.errorCode = errorCode
  }
}

extension OAuthEvent: CustomStringConvertible {
  /// Kind, policy, error, reason and correlation id in one line.
  public var description: String {
    var words = [kind.rawValue]
    if let policyID { words.append("policy=\(policyID)") }
    if let errorCode { words.append("error=\(errorCode.rawValue)") }
    if let correlationID { words.append("correlation=\(correlationID.uuidString.lowercased())") }
    return words.joined(separator: " ")
  }
}
