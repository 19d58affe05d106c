/// Listening sockets at one or two addresses with the same port.
struct BoundSockets {
  let port: UInt16
  let sockets: [(address: LoopbackAddress, handle: SocketHandle)]

  init(port: UInt16, addresses: [LoopbackAddress]) throws(LoopbackListenerError) {
    // A port that the system chose for one address may be taken at the other: then it is asked again.
    var triesLeft = port == 0 ? 20 : 1
    while true {
      triesLeft -= 1
      do throws(SystemError) {
        (self.port, sockets) = try Self.bind(port: port, addresses: addresses)
        return
      } catch {
        guard triesLeft > 0, error.isPortInUse else { throw LoopbackListenerError(error, port: port) }
      }
    }
  }

  private static func bind(
    port: UInt16, addresses: [LoopbackAddress]
  ) throws(SystemError) -> (UInt16, [(address: LoopbackAddress, handle: SocketHandle)]) {
    var port = port
    var sockets: [(address: LoopbackAddress, handle: SocketHandle)] = []
    for address in addresses {
      do throws(SystemError) {
        let handle = SocketHandle(try SystemSocket.make(address))
        port = try handle.listen(at: address, port: port)
        sockets.append((address, handle))
      } catch {
        guard error.isAddressMissing, !sockets.isEmpty else { throw error }
      }
    }
    return (port, sockets)
  }
}
