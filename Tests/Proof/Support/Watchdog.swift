import B2CCore

/// Waits for something, but not for ever.
enum Watchdog {
  /// Runs a body; `nil` when it has not come back in time.
  ///
  /// It is then left alone, since it may not heed anything.
  static func run<Result: Sendable>(
    _ limit: Duration, _ body: @escaping @Sendable () async -> Result
  ) async -> Result? {
    await withCheckedContinuation { continuation in
      let waiter = Locked<CheckedContinuation<Result?, Never>?>(continuation)
      let take = { @Sendable in
        waiter.withLock { waiter in
          defer { waiter = nil }
          return waiter
        }
      }
      let timer = Task {
        guard (try? await ContinuousClock().sleep(for: limit)) != nil else { return }
        take()?.resume(returning: nil)
      }
      Task {
        let result = await body()
        timer.cancel()
        take()?.resume(returning: result)
      }
    }
  }
}
