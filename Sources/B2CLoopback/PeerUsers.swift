internal import Dispatch

/// One end of a TCP connection.
package struct SocketEnd: Sendable, Hashable {
  /// 4 or 16 bytes; an IPv4 address that is mapped into IPv6 (RFC 4291 section 2.5.5.2) is stored as its 4 bytes.
  package let address: [UInt8]
  package let port: UInt16

  package init(address: some Sequence<UInt8>, port: UInt16) {
    let bytes = Array(address)
    self.address = bytes.count == 16 && bytes.starts(with: Self.mappedPrefix) ? Array(bytes.suffix(4)) : bytes
    self.port = port
  }

  /// The other end of a socket that listens at this one.
  var unconnected: SocketEnd { SocketEnd(address: repeatElement(0, count: address.count), port: 0) }

  /// The address in its IPv6 form.
  var mappedAddress: [UInt8] { address.count == 4 ? Self.mappedPrefix + address : address }

  private static let mappedPrefix: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]
}

/// Tells whether the client of a connection on this machine belongs to the user of this process.
///
/// The exact connection decides, both addresses and both ports: port numbers alone can be those of another connection.
package struct PeerUsers: Sendable {
  /// The answer for one client.
  package enum Answer: Sendable, Hashable {
    /// Its socket belongs to this process's user, or to root, which can read this process's memory.
    case trusted
    /// Its socket belongs to another user, is not listed, or is being closed, so that its owner is not known.
    case untrusted
    /// The system does not tell.
    case unknown
  }

  /// A socket that the system lists for a connection.
  package struct Entry: Sendable, Hashable {
    /// The state, as in the kernel's `tcp_states.h`; 1 is ESTABLISHED.
    let state: UInt8
    let user: UInt32
    /// 0 when no process has the socket open any longer.
    let inode: UInt64

    package init(state: UInt8, user: UInt32, inode: UInt64) {
      self.state = state
      self.user = user
      self.inode = inode
    }
  }

  /// Returns the sockets with exactly these ends; none where the system's list cannot be read.
  package typealias Source = @Sendable (_ local: SocketEnd, _ remote: SocketEnd) -> [Entry]

  // One look at a time: a table may be long. On its own thread: the look may wait for the system.
  private static let queue = DispatchQueue(label: "B2CConnector.peers", qos: .userInitiated)

  private let sources: [Source]

  /// Creates a look-up that asks the sources in their order.
  package init(sources: [Source]) {
    self.sources = sources
  }

  /// Returns whether any source lists a socket that listens at an end.
  func knowSockets(listeningAt end: SocketEnd) async -> Bool {
    await onQueue { sources.contains { Self.lists($0, listeningAt: end) } }
  }

  /// Returns the answer for a client, given both ends of the connection as the listener's socket has them.
  func client(at client: SocketEnd, ofListenerAt listener: SocketEnd) async -> Answer {
    await onQueue {
      for source in sources {
        let entries = source(client, listener)
        if !entries.isEmpty { return Self.isTrusted(entries) ? .trusted : .untrusted }
        // A source that does not list the listener either cannot be read, or shows other sockets than this process's.
        if Self.lists(source, listeningAt: listener) { return .untrusted }
      }
      return .unknown
    }
  }

  private static func lists(_ source: Source, listeningAt end: SocketEnd) -> Bool {
    !source(end, end.unconnected).isEmpty
  }

  private static func isTrusted(_ entries: [Entry]) -> Bool {
    // A table that changes while it is read may list a socket twice.
    guard Set(entries).count == 1, let entry = entries.first else { return false }
    return entry.state == 1 && entry.inode != 0 && [0, ownUser].contains(entry.user)
  }

  private func onQueue<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
    await withCheckedContinuation { continuation in
      Self.queue.async { continuation.resume(returning: body()) }
    }
  }
}
