/// What went wrong, as an open set of codes that all errors of a request, a sign-in or a task call share.
///
/// Each module names the codes that it throws in an extension; a code that means the same in several modules is here.
public struct ErrorCode: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
  /// The code's stable name.
  public var rawValue: String

  /// Makes a code from its stable name.
  ///
  /// - Parameter rawValue: The name.
  public init(rawValue: String) {
    self.rawValue = rawValue
  }

  /// The code's stable name.
  public var description: String { rawValue }
}

extension ErrorCode {
  /// No answer: offline, refused, or the connection was lost; the underlying error is the transport's.
  public static let network = Self(rawValue: "network")
  /// No answer in time (also status 408), or the sign-in page was not finished in time.
  public static let timedOut = Self(rawValue: "timedOut")
  /// Too many requests (status 429).
  public static let throttled = Self(rawValue: "throttled")
  /// The server refused for a reason without a code here, or failed (5xx of the task API).
  public static let server = Self(rawValue: "server")
  /// The answer is not what the protocol says it is, or cannot be read.
  public static let invalidResponse = Self(rawValue: "invalidResponse")
  /// The authority or the task server does not offer what was asked of it (405, 501).
  public static let unsupported = Self(rawValue: "unsupported")
}
