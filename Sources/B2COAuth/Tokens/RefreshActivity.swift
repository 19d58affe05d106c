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

/// One activity of the system for all refreshes of a process: a refresh token that was sent is lost if the app is
/// suspended before the answer is stored, and a file lock that is held then gets it killed.
package final class RefreshActivity: Sendable {
  private let system: (any ExpiringActivity)?
  private let current = Locked<Activity?>(nil)

  /// Creates an activity.
  ///
  /// - Parameter system: The system's; `nil` where processes are not suspended.
  package init(_ system: (any ExpiringActivity)?) {
    self.system = system
  }

  /// Runs a refresh while the system gives the process time; ``RefreshTime/current`` tells when it is over.
  ///
  /// - Parameters:
  ///   - clock: The clock that the wait for the system's answer is measured on.
  ///   - body: The refresh, from waiting for its lock to storing its answer.
  /// - Returns: What the body returns.
  /// - Throws: ``OAuthError`` with code `suspended` when there is no time, or no answer within 5 seconds: the body has not
  ///   run then. `CancellationError` when the task is cancelled while the system is being asked; otherwise what the body
  ///   throws.
  func run<Value>(on clock: any Clock<Duration>, _ body: () async throws -> Value) async throws -> Value {
    guard let system else { return try await body() }
    let time = RefreshTime()
    let activity = activity(for: time, system)
    defer { activity.leave(time) }
    guard try await activity.isAnswered(for: time, on: clock), !time.isOver else { throw TokenSource.suspended }
    return try await RefreshTime.$current.withValue(time) { try await body() }
  }

  /// Returns the activity under way, which the refresh has joined; a new one otherwise.
  private func activity(for time: RefreshTime, _ system: any ExpiringActivity) -> Activity {
    let (activity, isNew) = current.withLock { current in
      if let current, current.join(time) { return (current, false) }
      let new = Activity(time)
      current = new
      return (new, true)
    }
    if isNew { system.perform(reason: "Refreshing an access token") { activity.block(isExpired: $0) } }
    return activity
  }
}

/// An activity of the system, from the request for time to its end.
private final class Activity: Sendable {
  private struct State: Sendable {
    var isAnswered = false
    var isOver = false
    /// The refreshes that are under way.
    var times: [ObjectIdentifier: RefreshTime] = [:]
    /// Those of them that have waited long enough for the answer.
    var late: Set<ObjectIdentifier> = []
  }

  /// The longest wait for the system's answer, which comes at once where it comes at all; Apple's page promises none.
  private static let patience = Duration.seconds(5)

  private let state: Monitor<State>
  /// Signalled when the system's block has to return.
  private let end = DispatchSemaphore(value: 0)

  init(_ first: RefreshTime) {
    state = Monitor(State(times: [ObjectIdentifier(first): first]))
  }

  /// Adds a refresh, unless the activity is over.
  func join(_ time: RefreshTime) -> Bool {
    state.withLock { state in
      if !state.isOver { state.times[ObjectIdentifier(time)] = time }
      return !state.isOver
    }
  }

  /// Removes a refresh; after the last one the activity is over.
  func leave(_ time: RefreshTime) {
    let isLast = state.withLock { state in
      state.times[ObjectIdentifier(time)] = nil
      state.late.remove(ObjectIdentifier(time))
      guard state.times.isEmpty, !state.isOver else { return false }
      state.isOver = true
      return true
    }
    if isLast { end.signal() }
  }

  /// Waits until the system has answered, or has not for too long.
  func isAnswered(for time: RefreshTime, on clock: any Clock<Duration>) async throws -> Bool {
    if state.withLock({ $0.isAnswered }) { return true }
    let id = ObjectIdentifier(time)
    let limit = Task {
      try await clock.sleep(for: Self.patience)
      state.withLock { _ = $0.late.insert(id) }
    }
    defer { limit.cancel() }
    try await state.wait { $0.isAnswered || $0.late.contains(id) }
    return state.withLock { $0.isAnswered }
  }

  /// The handler that the system calls: it keeps the process running until the call with `false` has returned.
  func block(isExpired: Bool) {
    guard isExpired else {
      state.withLock { $0.isAnswered = true }
      // Not a thread that tasks share.
      end.wait()
      return
    }
    let times = state.withLock { state in
      state.isOver = true
      return Array(state.times.values)
    }
    // Here and now: once this has returned, the process may be suspended.
    for time in times { time.end() }
    // Only then, so that a refresh that was waiting for time finds that there is none.
    state.withLock { $0.isAnswered = true }
    end.signal()
  }
}
