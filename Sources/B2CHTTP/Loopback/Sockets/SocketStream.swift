internal import B2CCore

/// The bytes of one connection, read and written without blocking a thread.
final class SocketStream: Sendable {
  /// What came of reading.
  enum Received {
    case bytes([UInt8])
    case ended
    case timedOut
  }

  private static let readSize = 16 * 1024

  let handle: SocketHandle
  private let poller: SocketPoller
  private let unread = Locked<[UInt8]>([])

  init(_ handle: SocketHandle, poller: SocketPoller) {
    self.handle = handle
    self.poller = poller
  }

  /// Reads what is there, or waits for it until the deadline.
  func receive(until deadline: ContinuousClock.Instant?) async -> Received {
    let kept = unread.withLock { unread in
      defer { unread = [] }
      return unread
    }
    if !kept.isEmpty { return .bytes(kept) }
    while true {
      switch handle.receive(atMost: Self.readSize) {
      case .bytes(let bytes): return .bytes(bytes)
      case .ended: return .ended
      case .wouldBlock:
        guard let descriptor = handle.pollable else { return .ended }
        switch await poller.wait(for: .reading, of: descriptor, until: deadline) {
        case .ready: continue
        case .timedOut: return .timedOut
        case .cancelled: return .ended
        }
      }
    }
  }

  /// Writes all bytes; `false` when the other side does not take them or the deadline passes.
  func send(_ bytes: some Collection<UInt8>, until deadline: ContinuousClock.Instant?) async -> Bool {
    var rest = Array(bytes)[...]
    while !rest.isEmpty {
      switch handle.send(rest) {
      case .bytes(let count): rest = rest.dropFirst(count)
      case .ended: return false
      case .wouldBlock:
        guard let descriptor = handle.pollable,
          await poller.wait(for: .writing, of: descriptor, until: deadline) == .ready
        else { return false }
      }
    }
    return true
  }

  /// Waits until the other side ends the connection; up to so many bytes that come before that are kept for later.
  func waitForEnd(keepingAtMost limit: Int) async {
    var kept: [UInt8] = []
    while kept.count <= limit, case .bytes(let bytes) = await receive(until: nil) {
      kept += bytes
    }
    unread.withLock { $0 = kept }
  }

  /// Ends the connection so that the other side can still read what was written to it.
  ///
  /// Closing while bytes are unread would make the system send a reset, which discards the answer.
  func finish(within duration: Duration) async {
    handle.finishWriting()
    let deadline = ContinuousClock.now.advanced(by: duration)
    var discarded = 0
    while discarded < 1 << 20, case .bytes(let bytes) = await receive(until: deadline) {
      discarded += bytes.count
    }
    handle.close()
  }
}
