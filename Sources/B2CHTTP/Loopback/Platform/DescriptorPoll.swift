#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

/// `poll(2)` over a list of descriptors, and the pipe that wakes it.
struct DescriptorPoll {
  /// What a descriptor is polled for.
  enum Interest {
    case reading
    case writing
  }

  private let wakeUpEnd: CInt
  private var entries: [pollfd] = []

  init(wakeUpEnd: CInt) {
    self.wakeUpEnd = wakeUpEnd
  }

  /// Makes a pipe whose ends do not block, or gives the system's error number.
  static func makePipe() throws(SystemError) -> (read: CInt, write: CInt) {
    var ends: [CInt] = [-1, -1]
    guard pipe(&ends) == 0 else { throw SystemError(errno) }
    for end in ends {
      _ = fcntl(end, F_SETFL, fcntl(end, F_GETFL) | O_NONBLOCK)
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
    }
    return (ends[0], ends[1])
  }

  static func wakeUp(_ descriptor: CInt) {
    var byte: UInt8 = 0
    _ = write(descriptor, &byte, 1)
  }

  static func close(_ descriptor: CInt) {
    closeDescriptor(descriptor)
  }

  /// Waits until a descriptor is ready, the pipe is written to or the time is over; gives the positions that are ready.
  mutating func wait(
    for interests: [(descriptor: CInt, interest: Interest)], milliseconds: CInt
  ) -> [Int] {
    entries.removeAll(keepingCapacity: true)
    entries.append(pollfd(fd: wakeUpEnd, events: Int16(POLLIN), revents: 0))
    for (descriptor, interest) in interests {
      let events = interest == .reading ? Int16(POLLIN) : Int16(POLLOUT)
      entries.append(pollfd(fd: descriptor, events: events, revents: 0))
    }
    guard poll(&entries, nfds_t(entries.count), milliseconds) > 0 else { return [] }
    if entries[0].revents != 0 {
      drain()
    }
    return interests.indices.filter { entries[$0 + 1].revents != 0 }
  }

  private func drain() {
    var bytes = [UInt8](repeating: 0, count: 64)
    while read(wakeUpEnd, &bytes, bytes.count) > 0 {}
  }
}

private func closeDescriptor(_ descriptor: CInt) {
  _ = close(descriptor)
}
