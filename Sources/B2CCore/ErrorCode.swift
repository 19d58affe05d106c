/// The reason for an error, as an open set of codes that all errors of a request, a sign-in or a task call share.
///
/// Those of the package are in an extension; an app's own part may throw codes of its own.
public struct ErrorCode: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
  /// The code's stable name.
  public var rawValue: String

  /// Makes a code from its stable name.
  ///
  /// - Parameter rawValue: The name.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// The code's stable name.
  public var description: String { rawValue }

  /// Matches an error by its code, as in `catch ErrorCode.userClosedBrowser`.
  ///
  /// - Parameters:
  ///   - code: The code of the pattern.
  ///   - error: The error that was thrown.
  /// - Returns: Whether the error is one of this package and has that code; `false` for any other error.
  public static func ~= (code: ErrorCode, error: any Error) -> Bool { (error as? ConnectorError)?.code == code }
}
