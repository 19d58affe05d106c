internal import B2CCore

/// Limits concurrent requests per origin; queued requests are subject to their deadline only.
///
/// A request is held only until it starts or leaves, so a server whose queue never empties keeps nothing that is over.
package final class ConnectionQueue: Sendable {
  private struct Waiter {
    let id: ObjectIdentifier
    let start: @Sendable () -> Void
  }

  private struct Line {
    var active: Set<ObjectIdentifier> = []
    var waiting: [Waiter] = []
  }

  private let limit: Int
  private let lines = Locked<[Origin: Line]>([:])

  /// Makes a queue.
  ///
  /// - Parameter limit: The most requests under way to one origin.
  package init(limit: Int) {
    self.limit = limit
  }

  /// Starts a request now or when its turn comes; ``leave(_:_:)`` must follow.
  ///
  /// - Parameters:
  ///   - origin: Where the request goes.
  ///   - id: The request's identity.
  ///   - start: Starts it; not called any more once the request has left.
  package func enter(_ origin: Origin, _ id: ObjectIdentifier, _ start: @escaping @Sendable () -> Void) {
    let isFree = lines.withLock { lines in
      var line = lines.removeValue(forKey: origin) ?? Line()
      defer { lines[origin] = line }
      guard line.active.count < limit else {
        line.waiting.append(Waiter(id: id, start: start))
        return false
      }
      line.active.insert(id)
      return true
    }
    if isFree { start() }
  }

  /// Ends a request's stay, and starts the next one; harmless for a request that never entered.
  ///
  /// - Parameters:
  ///   - origin: Where the request goes.
  ///   - id: The request's identity.
  package func leave(_ origin: Origin, _ id: ObjectIdentifier) {
    let next = lines.withLock { lines -> Waiter? in
      guard var line = lines.removeValue(forKey: origin) else { return nil }
      defer { if !line.active.isEmpty { lines[origin] = line } }
      guard line.active.remove(id) != nil else {
        line.waiting.removeAll { $0.id == id }
        return nil
      }
      guard !line.waiting.isEmpty else { return nil }
      let next = line.waiting.removeFirst()
      line.active.insert(next.id)
      return next
    }
    next?.start()
  }
}
