public import B2CCore
public import Foundation

extension Connector {
  /// A step of a connector, which it reports to ``Environment/onEvent`` when it happens.
  ///
  /// An event contains no secrets. See <doc:Calls>.
  ///
  /// ```swift
  /// var environment = Connector.Environment()
  /// environment.onEvent = { event in
  ///   if event.step == .refreshFinished, let code = event.errorCode { print("No new token: \(code)") }
  /// }
  /// ```
  public struct Event: Sendable, Hashable {
    /// The step that happened.
    public var step: Step
    /// The policy that the step is about, if there is one.
    public var policyID: String?
    /// The correlation id of the requests, which for requests to APIs is the one of the settings or `nil`.
    public var correlationID: UUID?
    /// The code of the error, if the step failed.
    public var errorCode: ErrorCode?

    /// Creates an event.
    ///
    /// - Parameters:
    ///   - step: The step that happened.
    ///   - policyID: The policy that the step is about.
    ///   - correlationID: The correlation id of the requests.
    ///   - errorCode: The code of the error, if the step failed.
    public init(
      step: Step, policyID: String? = nil, correlationID: UUID? = nil, errorCode: ErrorCode? = nil
    ) {
      self.step = step
      self.policyID = policyID
      self.correlationID = correlationID
      self.errorCode = errorCode
    }
  }
}

extension Connector.Event {
  /// The name of a step, which may be a new one in later versions.
  public struct Step: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    /// The stable name of the step.
    public var rawValue: String

    /// Creates a step from its stable name.
    ///
    /// - Parameter rawValue: The name.
    public init(rawValue: String) { self.rawValue = rawValue }

    init(_ step: OAuthStep) { rawValue = step.rawValue }

    /// The stable name of the step.
    public var description: String { rawValue }

    /// A sign-in has begun.
    public static let signInStarted = Self(.signInStarted)
    /// A sign-in has ended, successfully or with an error.
    public static let signInFinished = Self(.signInFinished)
    /// A stored access token served a call.
    public static let cacheHit = Self(.cacheHit)
    /// No stored access token could serve a call.
    public static let cacheMiss = Self(.cacheMiss)
    /// A refresh token is being used.
    public static let refreshStarted = Self(.refreshStarted)
    /// A call waits for a refresh that another call has started.
    public static let refreshShared = Self(.refreshShared)
    /// A refresh has ended, successfully or with an error.
    public static let refreshFinished = Self(.refreshFinished)
    /// A refresh failed, and the call got a token that has not expired yet.
    public static let staleTokenServed = Self(.staleTokenServed)
    /// The cache could not store a refreshed token, which remains in memory until the cache accepts it.
    public static let storingFailed = Self(.storingFailed)
    /// A request to the provider or to an API is sent again, because of the error in ``Connector/Event/errorCode``.
    public static let retry = Self(.retry)
    /// A user's record was removed from this device.
    public static let signedOut = Self(.signedOut)
  }
}

extension Connector.Event {
  /// Returns a closure that receives the engine's steps as events.
  static func report(to receiver: @escaping @Sendable (Self) -> Void) -> OAuthReport {
    { receiver(Self(step: .init($0), policyID: $1, correlationID: $2, errorCode: $3)) }
  }
}

extension Connector.Event: CustomStringConvertible {
  /// The step, policy, error and correlation id in one line.
  public var description: String {
    var words = [step.rawValue]
    if let policyID { words.append("policy=\(PrintableText.plain(policyID, limit: 128))") }
    if let errorCode { words.append("error=\(errorCode.rawValue)") }
    if let correlationID { words.append("correlation=\(correlationID.uuidString.lowercased())") }
    return words.joined(separator: " ")
  }
}
