internal import B2CCore

/// A gate that holds tasks until a test opens it, so that the test decides what happens first, without sleeping.
///
/// ```swift
/// let gate = TestGate()
/// tenant.faults = [LocalFault(on: .tokenRefresh, .wait(gate))]
/// async let token = connector.accessToken()
/// await gate.waitForArrivals(1)   // the refresh is under way now
/// gate.open()
/// ```
public final class TestGate: Sendable {
  private struct State {
    var isOpen = false
    var arrivals = 0
  }

  private let state = Monitor(State())

  /// Creates a closed gate.
  public init() {}

  /// The number of tasks that have arrived so far, including those that have passed.
  public var arrivals: Int { state.withLock { $0.arrivals } }

  /// Opens the gate for the tasks that wait and for all that arrive later.
  public func open() { state.withLock { $0.isOpen = true } }

  /// Waits until the gate is open.
  ///
  /// - Throws: `CancellationError` if the task is cancelled before.
  public func wait() async throws {
    state.withLock { $0.arrivals += 1 }
    try await state.wait { $0.isOpen }
  }

  /// Waits until a number of tasks have arrived.
  ///
  /// The call returns early if the task is cancelled, so that the test's time limit can end it.
  ///
  /// - Parameter count: The smallest number of arrivals to wait for, counted since the gate was created.
  public func waitForArrivals(_ count: Int) async { try? await state.wait { $0.arrivals >= count } }
}
