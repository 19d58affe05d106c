#if os(macOS) || os(Linux)
  internal import Foundation

  extension LoopbackPresenter {
    /// Creates a presenter that opens the user's own browser, or prints the URL to standard error where there is none.
    ///
    /// - Parameters:
    ///   - page: Returns the HTML that the browser shows at the end; a page in English when `nil`.
    ///   - timeout: The longest wait for the user; 5 minutes when `nil`.
    ///   - clock: The clock that the timeout runs on.
    public init(
      page: (@Sendable (_ isSuccess: Bool) -> String)? = nil, timeout: Duration? = nil,
      clock: any Clock<Duration> = ContinuousClock()
    ) {
      self.init(open: { await Browser.open($0) }, page: page, timeout: timeout, clock: clock)
    }
  }
#endif
