public import Glibc

// The dynamic linker finds a symbol of the executable before that of a library. So these definitions take the place of
// libdispatch's and the C library's for every library of the process: the Swift runtime's jobs, timers, clocks and random
// numbers come here. (The runtime's hooks are not enough: `Task.yield()` and sleeps pass them by.)
//
// A library asks the C library for a symbol of a certain version, so the names of those two carry it. They are public,
// since an optimised build keeps everything else to itself.

/// What a job is to libdispatch.
public typealias Work = @convention(c) (UnsafeMutableRawPointer?) -> Void
private typealias AsyncF = @convention(c) (UnsafeMutableRawPointer?, UnsafeMutableRawPointer?, Work) -> Void
private typealias AfterF = @convention(c) (UInt64, UnsafeMutableRawPointer?, UnsafeMutableRawPointer?, Work) -> Void
private typealias Block = @convention(block) () -> Void
private typealias AsyncBlock = @convention(c) (UnsafeMutableRawPointer?, @escaping Block) -> Void
private typealias GetTime = @convention(c) (Int32, UnsafeMutablePointer<timespec>?) -> Int32
private typealias SystemCall = @convention(c) (Int, Int, Int, Int, Int, Int, Int) -> Int

// Constants at the start, and no lazy globals: those are made under a lock that is itself made of system calls.
/// Whether jobs, clocks and random numbers come to the machine; before, they go where they always go.
nonisolated(unsafe) var machineIsOn = false
nonisolated(unsafe) private var realTime: GetTime?
nonisolated(unsafe) private var realSystemCall: SystemCall?

/// The definition that would have been found without ours.
///
/// No generic function: the runtime may hold its lock for types while it asks for a random number.
private func next(_ name: StaticString) -> UnsafeMutableRawPointer {
  let following = UnsafeMutableRawPointer(bitPattern: -1)  // RTLD_NEXT
  let text = UnsafeRawPointer(name.utf8Start).assumingMemoryBound(to: CChar.self)
  guard let symbol = dlsym(following, text) else { abort() }
  return symbol
}

private func isSimulated() -> Bool {
  guard machineIsOn else { return false }
  if machine.isOnItsThread { return true }
  machine.foreignJobs += 1
  return false
}

/// A job of Swift's concurrency is ready to run.
@_cdecl("dispatch_async_f")
public func simulatedAsync(
  _ queue: UnsafeMutableRawPointer?, _ context: UnsafeMutableRawPointer?, _ work: @escaping Work
) {
  guard isSimulated() else { return unsafeBitCast(next("dispatch_async_f"), to: AsyncF.self)(queue, context, work) }
  machine.add { work(context) }
}

/// A sleep: the time is absolute, in nanoseconds of a clock that does not jump; the highest bit names the clock.
@_cdecl("dispatch_after_f")
public func simulatedAfter(
  _ time: UInt64, _ queue: UnsafeMutableRawPointer?, _ context: UnsafeMutableRawPointer?, _ work: @escaping Work
) {
  guard isSimulated() else {
    return unsafeBitCast(next("dispatch_after_f"), to: AfterF.self)(time, queue, context, work)
  }
  machine.add(at: time & 0x7FFF_FFFF_FFFF_FFFF) { work(context) }
}

/// A block of a queue, such as the file cache's.
@_cdecl("dispatch_async")
public func simulatedAsyncBlock(_ queue: UnsafeMutableRawPointer?, _ block: @escaping @convention(block) () -> Void) {
  guard isSimulated() else { return unsafeBitCast(next("dispatch_async"), to: AsyncBlock.self)(queue, block) }
  machine.add(queue: UInt(bitPattern: queue)) { block() }
}

/// The clocks, also of `Date()` and `ContinuousClock`.
@_cdecl("clock_gettime@GLIBC_2.17")
public func simulatedTime(_ clock: Int32, _ time: UnsafeMutablePointer<timespec>?) -> Int32 {
  guard machineIsOn, machine.isOnItsThread else { return systemTime(clock, time) }
  // 5 is CLOCK_REALTIME_COARSE.
  let now = clock == 0 || clock == 5 ? machine.wallClock : machine.uptime
  time?.pointee = timespec(tv_sec: Int(now / 1_000_000_000), tv_nsec: Int(now % 1_000_000_000))
  return 0
}

private func systemTime(_ clock: Int32, _ time: UnsafeMutablePointer<timespec>?) -> Int32 {
  let function = realTime ?? unsafeBitCast(next("clock_gettime"), to: GetTime.self)
  realTime = function
  return function(clock, time)
}

#if arch(x86_64)
  /// The system calls that are made by number; the Swift runtime draws random numbers by one, eight bytes at a time.
  @_cdecl("syscall@GLIBC_2.2.5")
  public func simulatedSystemCall(_ number: Int, _ a: Int, _ b: Int, _ c: Int, _ d: Int, _ e: Int, _ f: Int) -> Int {
    systemCall(number, a, b, c, d, e, f, getRandom: 318)
  }
#else
  /// The same on other processors.
  @_cdecl("syscall@GLIBC_2.17")
  public func simulatedSystemCall(_ number: Int, _ a: Int, _ b: Int, _ c: Int, _ d: Int, _ e: Int, _ f: Int) -> Int {
    systemCall(number, a, b, c, d, e, f, getRandom: 278)
  }
#endif

private func systemCall(
  _ number: Int, _ a: Int, _ b: Int, _ c: Int, _ d: Int, _ e: Int, _ f: Int, getRandom: Int
) -> Int {
  if number == getRandom, b == 8, machineIsOn, machine.isOnItsThread,
    let bytes = UnsafeMutableRawPointer(bitPattern: a)
  {
    bytes.storeBytes(of: machine.systemDraw.next(), as: UInt64.self)
    return 8
  }
  let function = realSystemCall ?? unsafeBitCast(next("syscall"), to: SystemCall.self)
  realSystemCall = function
  return function(number, a, b, c, d, e, f)
}

/// The time of the real world, in seconds.
func realSeconds() -> Double {
  var time = timespec()
  _ = systemTime(CLOCK_MONOTONIC, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}
