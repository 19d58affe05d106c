import B2CCore
import B2CHTTP
import B2COAuth
import B2CTestKit
import Testing

@Suite(.timeLimit(.minutes(1)))
struct TerminalProgressTests {
  private let clock = TestClock()
  private let written = Locked<[String]>([])

  private func progress(isInteractive: Bool) -> TerminalProgress {
    TerminalProgress(isInteractive: isInteractive, clock: clock) { [written] text in
      written.withLock { $0.append(text) }
    }
  }

  /// Waits under a progress while the clock moves so many steps.
  private func texts(
    isInteractive: Bool, timeout: Duration? = nil, steps: Int, of step: Duration
  ) async -> [String] {
    let gate = LoopbackGate()
    let progress = progress(isInteractive: isInteractive)
    let task = Task { await progress.waiting(for: "the answer", timeout: timeout) { await gate.wait() } }
    for _ in 0..<steps {
      await clock.waitForSleepers()
      await clock.advance(by: step)
    }
    await clock.waitForSleepers()
    gate.open()
    await task.value
    return written.withLock { $0 }
  }

  @Test("on a terminal one line is written over each second and gone at the end")
  func terminal() async {
    let texts = await texts(isInteractive: true, timeout: .seconds(300), steps: 2, of: .seconds(1))
    #expect(
      texts == [
        "\rWaiting for the answer (0:00, 5:00 left)\u{1B}[K", "\rWaiting for the answer (0:01, 4:59 left)\u{1B}[K",
        "\rWaiting for the answer (0:02, 4:58 left)\u{1B}[K", "\r\u{1B}[K",
      ])
  }

  @Test("in a log a line is added each half minute, without control characters")
  func log() async {
    let texts = await texts(isInteractive: false, steps: 3, of: .seconds(30))
    #expect(
      texts == [
        "Waiting for the answer (0:00)\n", "Waiting for the answer (0:30)\n", "Waiting for the answer (1:00)\n",
        "Waiting for the answer (1:30)\n",
      ])
  }

  @Test("gives what the operation gives and throws what it throws")
  func outcome() async throws {
    let progress = progress(isInteractive: true)
    #expect(await progress.waiting(for: "a number") { 42 } == 42)
    await #expect(throws: OAuthError(.timedOut, "")) {
      try await progress.waiting(for: "nothing") { throw OAuthError(.timedOut, "") }
    }
    #expect(written.withLock { $0.last } == "\r\u{1B}[K")
  }

  @MainActor
  @Test("the operation runs where the caller does")
  func isolation() async {
    var count = 0
    await progress(isInteractive: false).waiting(for: "the main actor") {
      MainActor.assertIsolated()
      count += 1
    }
    #expect(count == 1)
  }
}
