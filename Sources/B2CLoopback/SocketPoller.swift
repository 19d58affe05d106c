#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif
internal import B2CCore
internal import Foundation

/// Resumes tasks when their sockets are ready: one thread runs `poll(2)` for all of them.
///
/// Deadlines are measured by the system's clock, as `poll(2)` does.
final class SocketPoller: Sendable {
  /// The event a task waits for.
  enum Interest {
    case reading
    case writing
  }

  /// The outcome of a wait.
  enum Outcome {
    case ready
    case timedOut
    case cancelled
  }

  private struct Waiter {
    let descriptor: CInt
    let interest: Interest
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

  private let wakeUpEnds: (read: CInt, write: CInt)
  private let state = Locked(State())

  init() throws(LoopbackListenerError) {
    // A socket pair and not a pipe: it is close-on-exec from the start where the system can do that.
    var ends: [CInt] = [-1, -1]
    guard socketpair(AF_UNIX, SocketConstants.stream, 0, &ends) == 0 else {
      throw LoopbackListenerError(number: errno, port: 0)
    }
    for end in ends {
      _ = fcntl(end, F_SETFL, fcntl(end, F_GETFL) | O_NONBLOCK)
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
    }
    wakeUpEnds = (ends[0], ends[1])
    let thread = Thread { [self] in run() }
    thread.name = "B2CConnector.loopback"
    thread.start()
  }

  /// Waits for a while, or until the calling task is cancelled.
  func pause(_ duration: Duration) async {
    // poll(2) ignores negative descriptors.
    _ = await wait(for: .reading, of: -1, until: .now.advanced(by: duration))
  }

  /// Waits until a descriptor is ready, the deadline passes or the calling task is cancelled.
  func wait(
    for interest: Interest, of descriptor: CInt, until deadline: ContinuousClock.Instant?
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
    // A cancellation after the end of the wait has left its mark.
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

  /// Waits until the thread has ended and uses no socket any longer; ``stop()`` comes first.
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
      // The cancellation handler may run before the waiter is added.
      state.cancelled.insert(id)
      return state.waiters.removeValue(forKey: id)
    }
    waiter?.continuation.resume(returning: .cancelled)
  }

  private func wakeUp(_ state: inout State) {
    guard !state.isWakeUpSent, !state.isEnded else { return }
    state.isWakeUpSent = true
    var byte: UInt8 = 0
    _ = send(wakeUpEnds.write, &byte, 1, SocketConstants.sendFlags)
  }

  private func run() {
    while let waiters = snapshot() {
      let ids = Array(waiters.keys)
      var entries = [pollfd(fd: wakeUpEnds.read, events: Int16(POLLIN), revents: 0)]
      entries += ids.compactMap { waiters[$0] }.map { waiter in
        pollfd(fd: waiter.descriptor, events: Int16(waiter.interest == .reading ? POLLIN : POLLOUT), revents: 0)
      }
      let deadline = waiters.values.compactMap(\.deadline).min()
      let count = poll(&entries, nfds_t(entries.count), Self.milliseconds(until: deadline))
      if count > 0, entries[0].revents != 0 { drain() }
      finish(count > 0 ? ids.indices.filter { entries[$0 + 1].revents != 0 }.map { ids[$0] } : [])
    }
    let endWaiters = state.withLock { state in
      state.isEnded = true
      close(wakeUpEnds.read)
      close(wakeUpEnds.write)
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

  private func drain() {
    var bytes = [UInt8](repeating: 0, count: 64)
    while recv(wakeUpEnds.read, &bytes, bytes.count, 0) > 0 {}
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
    // Rounded up, so that the deadline has passed when poll(2) returns.
    return CInt(clamping: min(left.seconds, 86_400) * 1000 + left.attoseconds / 1_000_000_000_000_000 + 1)
  }
}
