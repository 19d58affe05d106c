internal import B2CCore

/// One socket that can be closed from anywhere at any time, and is never used after that.
///
/// No call made under the lock blocks.
final class SocketHandle: Sendable {
  private let descriptor: Locked<CInt>

  init(_ descriptor: CInt) {
    self.descriptor = Locked(descriptor)
  }

  deinit {
    close()
  }

  /// The descriptor for polling; it may be closed by the time it is polled, which does no harm.
  var pollable: CInt? { withDescriptor { $0 } }

  func listen(at address: LoopbackAddress, port: UInt16) throws(SystemError) -> UInt16 {
    guard let descriptor = pollable else { return port }
    return try SystemSocket.listen(descriptor, at: address, port: port)
  }

  func receive(atMost limit: Int) -> SystemSocket.Received {
    withDescriptor { SystemSocket.receive(from: $0, atMost: limit) } ?? .ended
  }

  func send(_ bytes: ArraySlice<UInt8>) -> SystemSocket.Sent {
    withDescriptor { SystemSocket.send(bytes, to: $0) } ?? .ended
  }

  func accept() -> SystemSocket.Accepted {
    withDescriptor { SystemSocket.accept(from: $0) } ?? .ended
  }

  func finishWriting() {
    _ = withDescriptor { SystemSocket.finishWriting($0) }
  }

  func close() {
    take(SystemSocket.shutDownAndClose)
  }

  func reset() {
    take(SystemSocket.reset)
  }

  private func withDescriptor<Result>(_ body: (CInt) -> Result) -> Result? {
    descriptor.withLock { $0 >= 0 ? body($0) : nil }
  }

  private func take(_ body: (CInt) -> Void) {
    descriptor.withLock { descriptor in
      guard descriptor >= 0 else { return }
      body(descriptor)
      descriptor = -1
    }
  }
}
