internal import B2CCore

/// Lets so many requests at a time through to one origin; the others wait their turn here, where only their deadline runs.
final class ConnectionQueue: Sendable {
  private struct Line {
    var active = 0
    var waiting: [@Sendable () -> Bool] = []
    var next = 0
  }

  private let limit: Int
  private let lines = Locked<[Origin: Line]>([:])

  init(limit: Int) {
    self.limit = limit
  }

  /// Runs a start now, or when its turn comes.
  ///
  /// The start says whether it used its turn, and ``leave(_:)`` gives it back.
  func enter(_ origin: Origin, _ start: @escaping @Sendable () -> Bool) {
    let isFree = lines.withLock { lines in
      if lines[origin, default: Line()].active < limit {
        lines[origin, default: Line()].active += 1
        return true
      }
      lines[origin, default: Line()].waiting.append(start)
      return false
    }
    if isFree, !start() { leave(origin) }
  }

  /// Gives a turn back, to the next who still wants it.
  func leave(_ origin: Origin) {
    while let start = advance(origin) {
      if start() { return }
    }
  }

  private func advance(_ origin: Origin) -> (@Sendable () -> Bool)? {
    lines.withLock { lines in
      guard var line = lines.removeValue(forKey: origin) else { return nil }
      guard line.next < line.waiting.count else {
        line.active -= 1
        line.waiting = []
        line.next = 0
        if line.active > 0 { lines[origin] = line }
        return nil
      }
      let start = line.waiting[line.next]
      line.next += 1
      lines[origin] = line
      return start
    }
  }
}
