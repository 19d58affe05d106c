internal import B2CCore
internal import Foundation

/// Tells tasks when their sockets are ready: one thread of its own polls for all of them, and no task blocks a thread.
///
/// The deadlines here are the kernel's, since a socket is not ready by anybody's injected clock.
final class SocketPoller: Sendable {
  /// How a wait ended.
  enum Outcome {
    case ready
    case timedOut
    case cancelled
  }

  private struct Waiter {
    let descriptor: CInt
    let interest: DescriptorPoll.Interest
    let deadline: ContinuousClock.Instant?
    let continuation: CheckedContinuation<Outcome, Never>
  }

  private struct State {
    var nextID = 0
    var waiters: [Int: Waiter] = [:]
    var cancelled: Set<Int> = []
    var isWakeUpSent = false
    var isStopped = false
    var isEnded = false
    var endWaiters: [CheckedContinuation<Void, Never>] = []
  }

  private let pipe: (read: CInt, write: CInt)
  private let state = Locked(State())

  init() throws(SystemError) {
    pipe = try DescriptorPoll.makePipe()
    let thread = Thread { [self] in run() }
    thread.name = "B2CConnector.loopback"
    thread.start()
  }

  /// Waits for a while, or until the calling task is cancelled.
  func pause(_ duration: Duration) async {
    // A negative descriptor is passed over by poll(2).
    _ = await wait(for: .reading, of: -1, until: .now.advanced(by: duration))
  }

  /// Waits until a descriptor is ready, the deadline passes or the calling task is cancelled.
  func wait(
    for interest: DescriptorPoll.Interest, of descriptor: CInt, until deadline: ContinuousClock.Instant?
  ) async -> Outcome {
    let id = state.withLock { state in
      state.nextID += 1
      return state.nextID
    }
    let outcome = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let waiter = Waiter(
          descriptor: descriptor, interest: interest, deadline: deadline, continuation: continuation)
        if let early = add(waiter, as: id) { continuation.resume(returning: early) }
      }
    } onCancel: {
      cancel(id)
    }
    // A cancellation that came after the wait had ended left its mark.
    state.withLock { _ = $0.cancelled.remove(id) }
    return outcome
  }

  /// Ends every wait and the thread; may be called more than once.
  func stop() {
    let waiters = state.withLock { state -> [Waiter] in
      guard !state.isStopped else { return [] }
      state.isStopped = true
      wakeUp(&state)
      defer { state.waiters = [:] }
      return Array(state.waiters.values)
    }
    for waiter in waiters {
      waiter.continuation.resume(returning: .cancelled)
    }
  }

  /// Waits until the thread has ended and holds no socket any longer; ``stop()`` comes first.
  func ended() async {
    await withCheckedContinuation { continuation in
      let isEnded = state.withLock { state in
        if !state.isEnded { state.endWaiters.append(continuation) }
        return state.isEnded
      }
      if isEnded { continuation.resume() }
    }
  }

  private func add(_ waiter: Waiter, as id: Int) -> Outcome? {
    state.withLock { state in
      if state.isStopped || state.cancelled.contains(id) { return .cancelled }
      state.waiters[id] = waiter
      wakeUp(&state)
      return nil
    }
  }

  private func cancel(_ id: Int) {
    let waiter = state.withLock { state in
      // The handler may run before the waiter is added.
      state.cancelled.insert(id)
      return state.waiters.removeValue(forKey: id)
    }
    waiter?.continuation.resume(returning: .cancelled)
  }

  private func wakeUp(_ state: inout State) {
    guard !state.isWakeUpSent, !state.isEnded else { return }
    state.isWakeUpSent = true
    DescriptorPoll.wakeUp(pipe.write)
  }
}

extension SocketPoller {
  private func run() {
    var poll = DescriptorPoll(wakeUpEnd: pipe.read)
    while let waiters = snapshot() {
      let ids = Array(waiters.keys)
      let interests = ids.compactMap { waiters[$0].map { (descriptor: $0.descriptor, interest: $0.interest) } }
      let deadline = waiters.values.compactMap(\.deadline).min()
      let ready = poll.wait(for: interests, milliseconds: Self.milliseconds(until: deadline))
      finish(ready.map { ids[$0] })
    }
    let endWaiters = state.withLock { state in
      state.isEnded = true
      DescriptorPoll.close(pipe.read)
      DescriptorPoll.close(pipe.write)
      return state.endWaiters
    }
    for waiter in endWaiters {
      waiter.resume()
    }
  }

  private func snapshot() -> [Int: Waiter]? {
    state.withLock { state in
      state.isWakeUpSent = false
      return state.isStopped ? nil : state.waiters
    }
  }

  private func finish(_ ready: [Int]) {
    let now = ContinuousClock.now
    let ended = state.withLock { state in
      var ended: [(Waiter, Outcome)] = []
      for id in ready {
        if let waiter = state.waiters.removeValue(forKey: id) { ended.append((waiter, .ready)) }
      }
      for (id, waiter) in state.waiters {
        if let deadline = waiter.deadline, deadline <= now {
          state.waiters[id] = nil
          ended.append((waiter, .timedOut))
        }
      }
      return ended
    }
    for (waiter, outcome) in ended {
      waiter.continuation.resume(returning: outcome)
    }
  }

  private static func milliseconds(until deadline: ContinuousClock.Instant?) -> CInt {
    guard let deadline else { return -1 }
    let left = ContinuousClock.now.duration(to: deadline).components
    guard left.seconds >= 0, left.attoseconds >= 0 else { return 0 }
    // Rounded up, so that the deadline has passed when the poll returns.
    return CInt(clamping: min(left.seconds, 86_400) * 1000 + left.attoseconds / 1_000_000_000_000_000 + 1)
  }
}
