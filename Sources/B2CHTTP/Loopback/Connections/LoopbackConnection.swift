/// Serves one connection, request after request.
struct LoopbackConnection {
  let id: Int
  let stream: SocketStream
  let core: ListenerCore

  func serve() async {
    defer { stream.handle.close() }
    var reader = RequestReader(stream: stream, limits: core.limits)
    while !Task.isCancelled {
      switch await reader.next() {
      case .ended:
        return
      case .refused(let refusal):
        let response = LoopbackResponse.text(refusal.reason, status: refusal.status)
        let deadline = ContinuousClock.now.advanced(by: core.limits.responseTimeout)
        if await stream.send(response.bytes(omittingBody: false, closing: true), until: deadline) {
          await stream.finish(within: .seconds(1))
        }
        return
      case .request(let request, let keepingConnection):
        core.setBusy(true, id: id)
        let exchange = LoopbackExchange(
          request, port: core.port, keepingConnection: keepingConnection, stream: stream, limits: core.limits)
        await core.handler(exchange)
        core.setBusy(false, id: id)
        guard exchange.keepsConnection else { return await stream.finish(within: .seconds(1)) }
      }
    }
  }
}
