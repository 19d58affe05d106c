internal import B2CCore

/// A gate that holds tasks until a test opens it, so that a test decides what happens first without sleeping.
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

  /// Makes a closed gate.
  public init() {}

  /// The number of tasks that have arrived so far, whether or not they still wait.
  public var arrivals: Int { state.withLock { $0.arrivals } }

  /// Lets every task pass, now and from now on.
  public func open() { state.withLock { $0.isOpen = true } }

  /// Waits until the gate is open.
  ///
  /// - Throws: `CancellationError` when the calling task is cancelled first.
  public func wait() async throws {
    state.withLock { $0.arrivals += 1 }
    try await state.wait { $0.isOpen }
  }

  /// Waits until at least so many tasks have arrived.
  ///
  /// It returns early when the calling task is cancelled, so that a test's time limit can end a wait in vain.
  ///
  /// - Parameter count: The number of arrivals to wait for, counted from the gate's creation.
  public func waitForArrivals(_ count: Int) async { try? await state.wait { $0.arrivals >= count } }
}
