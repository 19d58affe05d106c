internal import B2CCore

/// A gate that holds whoever comes until a test opens it, so that a test decides what happens first without sleeping.
///
/// ```swift
/// let gate = TestGate()
/// tenant.faults = [LocalFault(on: .tokenRefresh, .wait(gate))]
/// async let token = client.accessToken()
/// await gate.waitForArrivals(1)   // the refresh is under way now
/// gate.open()
/// ```
public final class TestGate: Sendable {
  private struct Visitor {
    let id: Int
    let continuation: CheckedContinuation<Void, any Error>
  }

  private struct Watcher {
    let id: Int
    let count: Int
    let continuation: CheckedContinuation<Void, Never>
  }

  private struct State {
    var isOpen = false
    var arrivals = 0
    var nextID = 0
    var visitors: [Visitor] = []
    var watchers: [Watcher] = []
    var cancelled: Set<Int> = []
  }

  private let state = Locked(State())

  /// Makes a closed gate.
  public init() {}

  /// How many have come so far, whether or not they still wait.
  public var arrivals: Int { state.withLock { $0.arrivals } }

  /// Lets everybody pass, now and from now on.
  public func open() {
    let visitors = state.withLock { state in
      state.isOpen = true
      defer { state.visitors = [] }
      return state.visitors
    }
    visitors.forEach { $0.continuation.resume() }
  }

  /// Waits until the gate is open.
  ///
  /// - Throws: `CancellationError` when the calling task is cancelled first.
  public func wait() async throws {
    let id = nextID()
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        enter(Visitor(id: id, continuation: continuation))
      }
    } onCancel: {
      cancel(id)
    }
  }

  /// Waits until at least so many have come.
  ///
  /// It returns early when the calling task is cancelled, so that a test's time limit can end a wait in vain.
  ///
  /// - Parameter count: How many to wait for, counted from the gate's making.
  public func waitForArrivals(_ count: Int) async {
    let id = nextID()
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isDone = state.withLock { state in
          if state.cancelled.remove(id) != nil || state.arrivals >= count { return true }
          state.watchers.append(Watcher(id: id, count: count, continuation: continuation))
          return false
        }
        if isDone { continuation.resume() }
      }
    } onCancel: {
      cancelWatcher(id)
    }
  }

  private func nextID() -> Int {
    state.withLock { state in
      state.nextID += 1
      return state.nextID
    }
  }

  private func cancelWatcher(_ id: Int) {
    let watcher = state.withLock { state -> Watcher? in
      guard let index = state.watchers.firstIndex(where: { $0.id == id }) else {
        state.cancelled.insert(id)
        return nil
      }
      return state.watchers.remove(at: index)
    }
    watcher?.continuation.resume()
  }

  private func enter(_ visitor: Visitor) {
    enum Outcome { case pass, cancelled, wait }
    let (outcome, watchers): (Outcome, [Watcher]) = state.withLock { state in
      state.arrivals += 1
      let arrivals = state.arrivals
      let satisfied = state.watchers.filter { $0.count <= arrivals }
      state.watchers.removeAll { $0.count <= arrivals }
      if state.cancelled.remove(visitor.id) != nil { return (.cancelled, satisfied) }
      if state.isOpen { return (.pass, satisfied) }
      state.visitors.append(visitor)
      return (.wait, satisfied)
    }
    switch outcome {
    case .pass: visitor.continuation.resume()
    case .cancelled: visitor.continuation.resume(throwing: CancellationError())
    case .wait: break
    }
    watchers.forEach { $0.continuation.resume() }
  }

  private func cancel(_ id: Int) {
    let visitor = state.withLock { state -> Visitor? in
      guard let index = state.visitors.firstIndex(where: { $0.id == id }) else {
        // The handler may run before the visitor is registered; after it has passed, the entry is never read again.
        state.cancelled.insert(id)
        return nil
      }
      return state.visitors.remove(at: index)
    }
    visitor?.continuation.resume(throwing: CancellationError())
  }
}
