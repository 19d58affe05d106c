#if os(macOS) || os(Linux)
  internal import Foundation

  extension LoopbackPresenter {
    /// Creates a presenter that opens the user's own browser, or prints the URL to standard error if there is none.
    ///
    /// - Parameters:
    ///   - page: Returns the HTML that the browser shows at the end, by default a page in English.
    ///   - timeout: The longest wait for the user. With `nil`, the default, it is 5 minutes.
    ///   - clock: The clock for the timeout. The default is a `ContinuousClock`.
    public init(
      page: (@Sendable (_ isSuccess: Bool) -> String)? = nil, timeout: Duration? = nil,
      clock: any Clock<Duration> = ContinuousClock()
    ) {
      self.init(open: { await Browser.open($0) }, page: page, timeout: timeout, clock: clock)
    }
  }
#endif
