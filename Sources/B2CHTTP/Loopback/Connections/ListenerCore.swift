internal import B2CCore

/// What a listener's tasks share: they hold it, and not the listener, so that letting go of the listener ends them.
final class ListenerCore: Sendable {
  private struct Connection {
    let handle: SocketHandle
    let task: Task<Void, Never>
    var isBusy = false
  }

  private struct State {
    var nextID = 0
    var connections: [Int: Connection] = [:]
    var listening: [SocketHandle] = []
    var acceptTasks: [Task<Void, Never>] = []
    var isStopped = false
  }

  let port: UInt16
  let limits: LoopbackLimits
  let handler: @Sendable (LoopbackExchange) async -> Void
  let poller: SocketPoller
  private let state = Locked(State())

  init(
    port: UInt16, limits: LoopbackLimits, handler: @escaping @Sendable (LoopbackExchange) async -> Void
  ) throws(SystemError) {
    self.port = port
    self.limits = limits
    self.handler = handler
    poller = try SocketPoller()
  }

  var connectionCount: Int { state.withLock { $0.connections.count } }

  func accept(from listening: SocketHandle) {
    state.withLock { state in
      state.listening.append(listening)
      state.acceptTasks.append(Task { await self.acceptAll(from: listening) })
    }
  }

  func stop() {
    let (handles, tasks) = state.withLock { state in
      state.isStopped = true
      let handles = state.listening + state.connections.values.map(\.handle)
      let tasks = state.acceptTasks + state.connections.values.map(\.task)
      state.listening = []
      state.acceptTasks = []
      state.connections = [:]
      return (handles, tasks)
    }
    // The sockets first: a handler that hears of its cancellation can no longer send anything.
    handles.forEach { $0.close() }
    tasks.forEach { $0.cancel() }
    poller.stop()
  }

  func stopped() async {
    await poller.ended()
  }

  func setBusy(_ isBusy: Bool, id: Int) {
    state.withLock { $0.connections[id]?.isBusy = isBusy }
  }
}

extension ListenerCore {
  private func acceptAll(from listening: SocketHandle) async {
    while !Task.isCancelled {
      switch listening.accept() {
      case .connection(let descriptor):
        admit(SocketHandle(descriptor))
      case .wouldBlock:
        guard let descriptor = listening.pollable,
          await poller.wait(for: .reading, of: descriptor, until: nil) == .ready
        else { return }
      case .exhausted:
        // A descriptor has to come free; when none can be freed here, others are given a moment to do it.
        if !evictOldest() { await poller.pause(.milliseconds(20)) }
      case .ended:
        return
      }
    }
  }

  private func admit(_ handle: SocketHandle) {
    while connectionCount >= limits.connections {
      guard evictOldest() else { return refuse(handle) }
    }
    state.withLock { state in
      guard !state.isStopped else { return handle.close() }
      state.nextID += 1
      let id = state.nextID
      let task = Task {
        await LoopbackConnection(id: id, stream: SocketStream(handle, poller: self.poller), core: self).serve()
        self.remove(id)
      }
      state.connections[id] = Connection(handle: handle, task: task)
    }
  }

  private func remove(_ id: Int) {
    state.withLock { _ = $0.connections.removeValue(forKey: id) }
  }

  /// Ends the oldest connection that has not sent a whole request, so that idle ones never keep a real one out.
  private func evictOldest() -> Bool {
    let victim = state.withLock { state in
      state.connections.lazy.filter { !$0.value.isBusy }.map(\.key).min().flatMap {
        state.connections.removeValue(forKey: $0)
      }
    }
    victim?.handle.close()
    victim?.task.cancel()
    return victim != nil
  }

  private func refuse(_ handle: SocketHandle) {
    let response = LoopbackResponse.text("Too many connections.", status: 503)
    _ = handle.send(response.bytes(omittingBody: false, closing: true)[...])
    handle.close()
  }
}
