import Glibc

/// The simulated computer: every job of the process runs here, on one thread, in an order drawn from a seed, at a time
/// that jumps to the next deadline when nothing is ready.
///
/// `Interposition.swift` leads everything here that would go to a thread, a timer or a clock.
final class Machine {
  /// A piece of work: a job of Swift's concurrency, or a block of a queue.
  private struct Job {
    /// The queue whose blocks run one after another; 0 for jobs that may run in any order.
    let queue: UInt
    let body: () -> Void
  }

  private struct Timer {
    let deadline: UInt64
    let body: () -> Void
  }

  /// The time at which each run starts: 2026-01-01 00:00:00 UTC, and some uptime.
  static let startOfWallClock: UInt64 = 1_767_225_600_000_000_000
  private static let startOfUptime: UInt64 = 1_000_000_000_000

  /// Nanoseconds since the machine was switched on.
  private(set) var uptime = startOfUptime
  /// Jobs that came from a thread of which the simulator knows nothing: always 0 if the simulation is sound.
  var foreignJobs = 0
  private(set) var jobs: UInt64 = 0
  /// A hash of every decision and every traced line so far: two runs of a seed have the same.
  private(set) var hash: UInt64 = 0
  /// Choices of the scheduler, of the network, of everything else that a run decides.
  var draw = Draw(seed: 0)
  /// What `SystemRandomNumberGenerator` returns in the code under test.
  var systemDraw = Draw(seed: 0)

  private var ready: [Job] = []
  /// Sorted, the next one last; equal deadlines in the order they came.
  private var timers: [Timer] = []
  private var order = Order.random

  private let thread = pthread_self()

  /// Whether the caller runs on the machine's only thread.
  var isOnItsThread: Bool { pthread_equal(pthread_self(), thread) != 0 }

  /// How the next of the ready jobs is chosen.
  private enum Order { case random, oldest, newest, mostlyOldest }

  /// Starts anew under a seed; whatever was left of an earlier run is dropped.
  func start(seed: UInt64) {
    uptime = Self.startOfUptime
    draw = Draw(seed: seed)
    systemDraw = Draw(seed: ~seed)
    hash = 0xCBF2_9CE4_8422_2325
    jobs = 0
    ready = []
    timers = []
    order = draw.one(of: [.random, .random, .random, .mostlyOldest, .mostlyOldest, .oldest, .newest])
    machineIsOn = true
  }

  /// The time since the start of the run, in seconds.
  var seconds: Double { Double(uptime - Self.startOfUptime) / 1e9 }

  /// Nanoseconds since 1970.
  var wallClock: UInt64 { Self.startOfWallClock + (uptime - Self.startOfUptime) }

  func add(queue: UInt = 0, _ body: @escaping () -> Void) {
    ready.append(Job(queue: queue, body: body))
  }

  func add(at deadline: UInt64, _ body: @escaping () -> Void) {
    let index = timers.firstIndex { $0.deadline <= deadline } ?? timers.endIndex
    timers.insert(Timer(deadline: deadline, body: body), at: index)
  }

  /// Runs jobs until a condition holds, nothing is left to do, or an uptime or a number of jobs is reached.
  ///
  /// - Returns: Whether the condition holds, which is looked at before each job.
  func run(until limit: UInt64 = .max, lastJob: UInt64 = .max, _ isDone: () -> Bool = { false }) -> Bool {
    while true {
      if isDone() { return true }
      if jobs >= lastJob { return false }
      if ready.isEmpty {
        guard let next = timers.last, next.deadline <= limit else {
          if limit != .max { uptime = max(uptime, limit) }
          return isDone()
        }
        uptime = max(uptime, next.deadline)
        while let timer = timers.last, timer.deadline <= uptime {
          timers.removeLast()
          add(timer.body)
        }
      }
      let job = take()
      jobs += 1
      job.body()
    }
  }

  /// Runs an asynchronous function to its end while everything else stands still and no time passes.
  ///
  /// Must be called from outside of every job.
  ///
  /// - Returns: The result; `nil` when it waits for something else.
  func alone<Result: Sendable>(_ body: @escaping @Sendable () async -> Result) -> Result? {
    let others = ready
    ready = []
    let box = Box<Result>()
    Task.detached { box.value = await body() }
    while !ready.isEmpty { ready.removeFirst().body() }
    ready = others
    return box.value
  }

  private final class Box<Value>: @unchecked Sendable {
    var value: Value?
  }

  /// Notes a text in the hash of the run.
  func mix(_ text: String) {
    for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
  }

  private func take() -> Job {
    let count = ready.count
    var index =
      switch order {
      case .random: draw.below(count)
      case .oldest: 0
      case .newest: count - 1
      case .mostlyOldest: draw.happens(850) ? 0 : draw.below(count)
      }
    // A serial queue's blocks keep their order.
    let queue = ready[index].queue
    if queue != 0, let first = ready.firstIndex(where: { $0.queue == queue }) { index = first }
    hash = (hash ^ UInt64(truncatingIfNeeded: count &* 31 &+ index)) &* 0x0000_0100_0000_01B3
    hash = (hash ^ uptime) &* 0x0000_0100_0000_01B3
    return ready.remove(at: index)
  }
}

/// The one machine of the process; C functions without a context have to find it.
nonisolated(unsafe) let machine = Machine()
