package import B2CCore

extension ErrorCode {
  /// The code of a status that means the same in every answer: the server is busy or fails, whatever was asked of it.
  ///
  /// It is `nil` for any other status, whose meaning depends on the request. Metadata, tokens, userinfo and tasks use it.
  ///
  /// - Parameter status: The HTTP status of the answer.
  package init?(temporaryStatus status: Int) {
    switch status {
    case 408: self = .timedOut
    case 429: self = .throttled
    case 500..<600: self = .serviceUnavailable
    default: return nil
    }
  }
}
