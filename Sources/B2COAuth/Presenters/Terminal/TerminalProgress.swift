/// Says on a terminal what is waited for and for how long, as long as it lasts.
///
/// ```swift
/// let progress = TerminalProgress()
/// try await progress.waiting(for: "you to sign in in the browser") {
///   try await connector.doPolicy(.signIn)
/// }
/// ```
public struct TerminalProgress: Sendable {
  private let isInteractive: Bool
  private let clock: any Clock<Duration>
  private let write: @Sendable (String) -> Void

  /// Makes a progress.
  ///
  /// - Parameters:
  ///   - isInteractive: Whether the text goes to a terminal, where one line is written over each second; otherwise a line
  ///     is added every half minute, as fits a log.
  ///   - clock: The clock to count on.
  ///   - write: Writes a text as it is, without a line break of its own; to standard error unless said otherwise.
  public init(
    isInteractive: Bool = TerminalProgress.isStandardErrorTerminal, clock: any Clock<Duration> = ContinuousClock(),
    write: (@Sendable (String) -> Void)? = nil
  ) {
    self.isInteractive = isInteractive
    self.clock = clock
    self.write = write ?? TerminalText.standardErrorRaw
  }

  /// Runs an operation and shows, until it ends, what is waited for.
  ///
  /// - Parameters:
  ///   - what: What is waited for, as it reads behind "Waiting for".
  ///   - timeout: How long the wait can last, if that is known: then the time left is shown too.
  ///   - isolation: Where the operation runs: where the caller does.
  ///   - operation: What takes so long.
  /// - Returns: What the operation gives.
  /// - Throws: What the operation throws.
  public func waiting<Value>(
    for what: String, timeout: Duration? = nil, isolation: isolated (any Actor)? = #isolation,
    _ operation: () async throws -> Value
  ) async rethrows -> Value {
    let ticker = Task { [self] in await tick(what, timeout: timeout) }
    do {
      let value = try await operation()
      await stop(ticker)
      return value
    } catch {
      await stop(ticker)
      throw error
    }
  }

  private func stop(_ ticker: Task<Void, Never>) async {
    ticker.cancel()
    await ticker.value
    if isInteractive { write("\r\u{1B}[K") }
  }

  private func tick(_ what: String, timeout: Duration?) async {
    let step: Duration = isInteractive ? .seconds(1) : .seconds(30)
    var elapsed = Duration.zero
    while !Task.isCancelled {
      write(line(what, elapsed: elapsed, timeout: timeout))
      elapsed += step
      guard (try? await clock.sleep(for: step)) != nil else { return }
    }
  }

  private func line(_ what: String, elapsed: Duration, timeout: Duration?) -> String {
    let left = timeout.map { ", \(Self.text($0 - elapsed)) left" } ?? ""
    let text = "Waiting for \(what) (\(Self.text(elapsed))\(left))"
    return isInteractive ? "\r\(text)\u{1B}[K" : text + "\n"
  }

  private static func text(_ duration: Duration) -> String {
    let seconds = max(0, duration.components.seconds)
    let rest = seconds % 60
    return "\(seconds / 60):\(rest < 10 ? "0" : "")\(rest)"
  }
}
