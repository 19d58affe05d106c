package import Foundation

/// A raw connection to a port of this machine, for whoever has to say something no HTTP client would.
package final class LoopbackClient: Sendable {
  private let stream: SocketStream
  private let poller: SocketPoller
  private let ownsPoller: Bool

  /// Connects.
  ///
  /// - Parameters:
  ///   - port: The port.
  ///   - address: The address.
  ///   - other: A client that outlives this one, to wait by its thread; a thread is made when `nil`.
  /// - Throws: ``LoopbackListenerError`` when nobody listens there.
  package init(port: UInt16, address: LoopbackAddress = .ipv4, besides other: LoopbackClient? = nil) async throws {
    do throws(SystemError) {
      let descriptor = try SystemSocket.make(address)
      let handle = SocketHandle(descriptor)
      let poller = if let other { other.poller } else { try SocketPoller() }
      self.poller = poller
      ownsPoller = other == nil
      stream = SocketStream(handle, poller: poller)
      try SystemSocket.connect(descriptor, to: address, port: port)
      _ = await poller.wait(for: .writing, of: descriptor, until: nil)
      let number = SystemSocket.pendingError(of: descriptor)
      guard number == 0 else { throw SystemError(number) }
    } catch {
      throw LoopbackListenerError(.system, "Port \(port) of this machine does not answer: \(error.text).")
    }
  }

  deinit {
    close()
  }

  /// Sends bytes; `false` when the other side does not take them.
  @discardableResult
  package func send(_ bytes: some Collection<UInt8>) async -> Bool {
    await stream.send(bytes, until: nil)
  }

  /// Sends text; `false` when the other side does not take it.
  @discardableResult
  package func send(_ text: String) async -> Bool {
    await send(Array(text.utf8))
  }

  /// Gives the next bytes; `nil` when the other side has ended or broken the connection.
  package func receive() async -> Data? {
    guard case .bytes(let bytes) = await stream.receive(until: nil) else { return nil }
    return Data(bytes)
  }

  /// Gives everything up to the end of the connection, as text.
  package func receiveAll() async -> String {
    var all = Data()
    while let bytes = await receive() {
      all += bytes
    }
    return String(decoding: all, as: UTF8.self)
  }

  /// Gives what comes up to a piece of text and with it, or up to the end of the connection.
  package func receive(through text: String) async -> String {
    var all = Data()
    while all.range(of: Data(text.utf8)) == nil, let bytes = await receive() {
      all += bytes
    }
    return String(decoding: all, as: UTF8.self)
  }

  /// Says that nothing more will be sent.
  package func finishSending() {
    stream.handle.finishWriting()
  }

  /// Ends the connection.
  package func close() {
    stream.handle.close()
    if ownsPoller { poller.stop() }
  }
}
