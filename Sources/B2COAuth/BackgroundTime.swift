internal import B2CCore
internal import Dispatch
internal import Foundation

/// The system function that lets a process continue for a while after its app leaves the screen.
package protocol ExpiringActivity: Sendable {
  /// Asks the system for time.
  ///
  /// Like `ProcessInfo.performExpiringActivity(withReason:using:)`, it calls the block on a thread that may be blocked.
  /// It passes `false` if the system grants time, which lasts until that call returns. It passes `true` if the system
  /// grants none, and also, in a second call during the first one, when the granted time is over.
  func perform(reason: String, _ block: @escaping @Sendable (_ isExpired: Bool) -> Void)
}

/// Background time for a refresh, because a refresh token is lost if the app is suspended between sending it and
/// storing the response.
package struct BackgroundTime: Sendable {
  /// The longest wait for the system's answer, which usually is immediate, but which Apple does not promise.
  private static let patience = Duration.seconds(5)

  static let suspended = ConnectorError(
    own: .suspended, "The system gives this process no time, so no access token was requested.",
    recoverySuggestion: "Try again when the app is active.")

  private let system: (any ExpiringActivity)?

  /// Creates background time.
  ///
  /// - Parameter system: The system's function, or `nil` if the system does not suspend processes.
  package init(_ system: (any ExpiringActivity)?) {
    self.system = system
  }

  /// Runs a request and the storing of its response while the system gives the process time.
  ///
  /// - Parameters:
  ///   - limit: How long the request may take, in seconds. After that the time is given back to the system, even if the
  ///     request hangs.
  ///   - clock: The clock for the wait for the system's answer.
  ///   - body: Sends the request and stores its response.
  /// - Returns: The result of the body.
  /// - Throws: ``ConnectorError`` with code `suspended` if the system grants no time or does not answer within 5
  ///   seconds, so that the body has not run; `CancellationError` if the task is cancelled; the error of the body.
  func run<Value>(
    atMost limit: TimeInterval, on clock: any Clock<Duration>, _ body: () async throws -> Value
  ) async throws -> Value {
    guard let system else { return try await body() }
    let isGranted = Monitor<Bool?>(nil)
    let end = DispatchSemaphore(value: 0)
    defer { end.signal() }
    system.perform(reason: "Refreshing an access token") { isExpired in
      isGranted.withLock { $0 = isExpired ? false : $0 ?? true }
      // The granted time lasts until this block returns. It may wait, because its thread is none that Swift tasks
      // share.
      if isExpired { end.signal() } else { _ = end.wait(timeout: .now() + limit) }
    }
    try await withTimeout(Self.patience, on: clock, throwing: Self.suspended) { try await isGranted.wait { $0 != nil } }
    guard isGranted.withLock({ $0 == true }) else { throw Self.suspended }
    return try await body()
  }
}
