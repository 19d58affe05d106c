internal import B2CCore
internal import Dispatch
internal import Foundation

/// The system's way to let a process go on for a while when its app leaves the screen.
package protocol ExpiringActivity: Sendable {
  /// Asks for time.
  ///
  /// The block is called on threads that may be blocked, as `ProcessInfo.performExpiringActivity(withReason:using:)` does
  /// it: with `false` when there is time, which lasts until that call returns; with `true` when there is none, or, beside
  /// the first call, when it is over.
  func perform(reason: String, _ block: @escaping @Sendable (_ isExpired: Bool) -> Void)
}

/// Background time for a refresh: a refresh token that was sent is lost if the app is suspended before the answer is stored.
package struct BackgroundTime: Sendable {
  /// The longest wait for the system's answer, which comes at once where it comes at all; Apple's page promises none.
  private static let patience = Duration.seconds(5)

  static let suspended = ConnectorError(
    own: .suspended, "The system grants this process no time, so no access token was requested.",
    recoverySuggestion: "Try again when the app is active.")

  private let system: (any ExpiringActivity)?

  /// Creates an activity.
  ///
  /// - Parameter system: The system's; `nil` where processes are not suspended.
  package init(_ system: (any ExpiringActivity)?) {
    self.system = system
  }

  /// Sends a request and stores its answer while the system gives the process time.
  ///
  /// - Parameters:
  ///   - limit: How long the request may take, in seconds; the time is given back then, whatever hangs.
  ///   - clock: The clock that the wait for the system's answer is measured on.
  ///   - body: The request and the storing of its answer.
  /// - Returns: What the body returns.
  /// - Throws: ``ConnectorError`` with code `suspended` when there is no time, or no answer within 5 seconds: the body has not
  ///   run then. `CancellationError` when the task is cancelled meanwhile; otherwise what the body throws.
  func run<Value>(
    atMost limit: TimeInterval, on clock: any Clock<Duration>, _ body: () async throws -> Value
  ) async throws -> Value {
    guard let system else { return try await body() }
    let isGranted = Monitor<Bool?>(nil)
    let end = DispatchSemaphore(value: 0)
    defer { end.signal() }
    system.perform(reason: "Refreshing an access token") { isExpired in
      isGranted.withLock { $0 = isExpired ? false : $0 ?? true }
      // Not a thread that tasks share.
      if isExpired { end.signal() } else { _ = end.wait(timeout: .now() + limit) }
    }
    try await withTimeout(Self.patience, on: clock, throwing: Self.suspended) { try await isGranted.wait { $0 != nil } }
    guard isGranted.withLock({ $0 == true }) else { throw Self.suspended }
    return try await body()
  }
}
