package import Foundation

/// The reason for an error, as an open set of codes that all errors of a request, a sign-in or a task call share.
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

  /// Matches an error by its code, as in `catch ErrorCode.userClosedBrowser`.
  ///
  /// - Parameters:
  ///   - code: The code of the pattern.
  ///   - error: The error that was thrown.
  /// - Returns: Whether the error is one of this package and has that code; `false` for any other error.
  public static func ~= (code: ErrorCode, error: any Error) -> Bool {
    (error as? any CodedError<ErrorCode>)?.code == code
  }
}

/// An error with a code, by which it is told apart from others of its type, and a message without secrets.
package protocol CodedError<Code>: LocalizedError {
  associatedtype Code: RawRepresentable<String> & Hashable & Sendable

  var code: Code { get }
  var message: String { get }
  var recoverySuggestion: String? { get }
}

extension CodedError {
  /// The message, which `localizedDescription` returns.
  public var errorDescription: String? { message }

  /// Code, message and how to fix it; the underlying error is left out, since it may hold a whole URL.
  public var description: String {
    "\(code.rawValue): \(message)" + (recoverySuggestion.map { " " + $0 } ?? "")
  }
}

extension ErrorCode {
  /// No answer: offline, refused, or the connection was lost; the underlying error is the transport's.
  public static let network = Self(rawValue: "network")
  /// No answer in time (also status 408), or the sign-in page was not finished in time.
  public static let timedOut = Self(rawValue: "timedOut")
  /// Too many requests (status 429).
  public static let throttled = Self(rawValue: "throttled")
  /// The service is not available (5xx).
  public static let serviceUnavailable = Self(rawValue: "serviceUnavailable")
  /// The server refused for a reason without a code here.
  public static let server = Self(rawValue: "server")
  /// The answer is not what the protocol says it is, or cannot be read.
  public static let invalidResponse = Self(rawValue: "invalidResponse")
  /// The authority or the task server does not offer what was asked of it (405, 501).
  public static let unsupported = Self(rawValue: "unsupported")
  /// The authority, policy, client ID, redirect URI or scopes do not fit what the service knows.
  public static let configuration = Self(rawValue: "configuration")
  /// The authority is on the host that Azure AD B2C has retired.
  public static let retiredAuthority = Self(rawValue: "retiredAuthority")
  /// A presenter or transport supplied by the app failed with an error of its own, which is the underlying one.
  public static let other = Self(rawValue: "other")
}
