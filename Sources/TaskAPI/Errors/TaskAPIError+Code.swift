extension TaskAPIError {
  /// What went wrong, as an open set of codes.
  public struct Code: RawRepresentable, Sendable, Hashable {
    /// The code's stable name.
    public var rawValue: String

    /// Makes a code from its stable name.
    ///
    /// - Parameter rawValue: The name.
    public init(rawValue: String) {
      self.rawValue = rawValue
    }
  }
}

/// Found before anything is sent.
extension TaskAPIError.Code {
  /// The base URL or a limit cannot be used.
  public static let invalidConfiguration = Self(rawValue: "invalidConfiguration")
  /// The task cannot be sent: its text is empty or over the limit.
  public static let invalidItem = Self(rawValue: "invalidItem")
  /// The task has nothing that would tell the server which one is meant.
  public static let missingKey = Self(rawValue: "missingKey")
}

/// The server refused.
extension TaskAPIError.Code {
  /// The token was refused, and a new one too (401).
  public static let unauthorized = Self(rawValue: "unauthorized")
  /// The token lacks a scope; the message says which (RFC 6750 section 3.1).
  public static let insufficientScope = Self(rawValue: "insufficientScope")
  /// The API asks for further claims, such as a second factor.
  public static let claimsRequired = Self(rawValue: "claimsRequired")
  /// The user may not do this (403).
  public static let forbidden = Self(rawValue: "forbidden")
  /// Nothing is there (404, 410): the base URL is wrong, or the task is gone.
  public static let notFound = Self(rawValue: "notFound")
  /// The server cannot do this at all (405, 501).
  public static let unsupported = Self(rawValue: "unsupported")
  /// The request does not fit what the server has or expects (409), such as `MissingTask` in the wrong dialect.
  public static let conflict = Self(rawValue: "conflict")
  /// The request or the answer is larger than a limit (413, or a limit of the client).
  public static let tooLarge = Self(rawValue: "tooLarge")
  /// Too many requests (429).
  public static let throttled = Self(rawValue: "throttled")
  /// The server refused with another status of the 400s.
  public static let refused = Self(rawValue: "refused")
  /// The server wants the request sent elsewhere (3xx); a token does not follow.
  public static let redirected = Self(rawValue: "redirected")
  /// The server has trouble (5xx).
  public static let server = Self(rawValue: "server")
}

/// The answer is no use.
extension TaskAPIError.Code {
  /// The answer is a success that cannot be read: HTML, nothing, broken JSON, wrong types.
  public static let invalidResponse = Self(rawValue: "invalidResponse")
  /// The server said that the task is deleted, but still lists it.
  public static let notDeleted = Self(rawValue: "notDeleted")
  /// No answer in time (also 408).
  public static let timedOut = Self(rawValue: "timedOut")
  /// No connection, or it broke; ``TaskAPIError/underlying`` is the transport's error.
  public static let network = Self(rawValue: "network")
}
