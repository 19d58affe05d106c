internal import B2CCore
package import Foundation

/// The time that the system leaves this process for one refresh, on systems that suspend apps.
///
/// A file lock must not outlast it: the system kills an app that is suspended while it holds one in a directory that
/// other processes share. The value is task-local, so that it reaches the lock through every wrapper of a cache, also
/// through one that an app has written.
package final class RefreshTime: Sendable {
  /// The time of the refresh under way; `nil` where the system suspends no process.
  @TaskLocal package static var current: RefreshTime?

  /// A token request that may still be answered: until its limit has passed, no other process sends the same token.
  package struct Request: Sendable, Equatable {
    let startedAt: Date
    /// How long it may take, in seconds.
    let limit: TimeInterval

    /// Returns how long the request may still take; zero or less when it has certainly ended.
    ///
    /// A start further ahead than the limit was written before the clock was set back, and counts no more.
    func remaining(at now: Date) -> TimeInterval {
      let elapsed = now.timeIntervalSince(startedAt)
      return elapsed < -limit ? 0 : limit - elapsed
    }
  }

  private struct State: Sendable {
    var isOver = false
    var request: Request?
    var actions: [@Sendable (Request?) -> Void] = []
  }

  private let state = Locked(State())

  package init() {}

  /// Whether the process may be suspended at any moment.
  package var isOver: Bool { state.withLock { $0.isOver } }

  /// Notes that a request starts, for those who have to wait for its end.
  ///
  /// - Parameters:
  ///   - startedAt: The wall time now.
  ///   - limit: How long the request may take, in seconds.
  /// - Returns: Whether there is time for it; it must not be sent otherwise.
  package func startRequest(at startedAt: Date, limit: TimeInterval) -> Bool {
    state.withLock { state in
      guard !state.isOver else { return false }
      state.request = Request(startedAt: startedAt, limit: limit)
      return true
    }
  }

  /// Notes that the answer is stored, so that no process has to wait for it.
  package func endRequest() {
    state.withLock { $0.request = nil }
  }

  /// Runs an action when the time is over, at once if it is: it receives the request that has started, if any.
  ///
  /// The action must be quick and must not wait for a task: the process may be suspended when it returns.
  func whenOver(_ action: @escaping @Sendable (Request?) -> Void) {
    let isOver = state.withLock { state in
      if !state.isOver { state.actions.append(action) }
      return state.isOver
    }
    // A request that has started keeps the lock until the time is over, so none has.
    if isOver { action(nil) }
  }

  /// Ends the time: locks are given back before it returns.
  package func end() {
    let (request, actions) = state.withLock { state in
      defer { state.actions = [] }
      state.isOver = true
      return (state.request, state.actions)
    }
    for action in actions { action(request) }
  }
}
