#if os(macOS) || os(Linux)
  extension LoopbackPresenter {
    /// Makes a presenter that opens the user's own browser, or writes the URL to standard error where there is none.
    ///
    /// - Parameters:
    ///   - pages: What the browser shows at the end.
    ///   - timeout: How long the user may take; 5 minutes.
    ///   - clock: The clock that the timeout runs on.
    public init(
      pages: LoopbackPages = LoopbackPages(), timeout: Duration = .seconds(300),
      clock: any Clock<Duration> = ContinuousClock()
    ) {
      self.init(
        opening: .system.fallingBack(to: .printing(to: TerminalText.standardError)), pages: pages, timeout: timeout,
        clock: clock)
    }
  }
#endif
