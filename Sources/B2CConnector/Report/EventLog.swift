internal import B2CCore
internal import B2COAuth
internal import Foundation

/// The latest events of a connector, kept in memory for its report.
final class EventLog: Sendable {
  /// How many events are kept.
  static let capacity = 200

  private struct Entry {
    var date: Date
    let event: OAuthEvent
    /// How often the same event came without another one between.
    var count = 1
  }

  /// A ring: `next` is the oldest entry once the ring is full.
  private struct Ring {
    var entries: [Entry] = []
    var next = 0
    var latest: Int? { entries.isEmpty ? nil : (next + capacity - 1) % capacity }
  }

  private let ring = Locked(Ring())
  private let now: @Sendable () -> Date

  init(now: @escaping @Sendable () -> Date) {
    self.now = now
  }

  func append(_ event: OAuthEvent) {
    let date = now()
    ring.withLock { ring in
      // Hundreds of calls that find their token would push out what happened before them.
      if let latest = ring.latest, ring.entries[latest].event == event {
        ring.entries[latest].date = date
        ring.entries[latest].count += 1
        return
      }
      let entry = Entry(date: date, event: event)
      if ring.entries.count < Self.capacity { ring.entries.append(entry) } else { ring.entries[ring.next] = entry }
      ring.next = (ring.next + 1) % Self.capacity
    }
  }

  /// A line for each event, the oldest first: time, event, and how often it came where that is more than once.
  var lines: [String] {
    let (entries, next) = ring.withLock { ($0.entries, $0.next) }
    let ordered = entries.count < Self.capacity ? entries[...] : entries[next...] + entries[..<next]
    return ordered.map { entry in
      InternetTime.text(from: entry.date.timeIntervalSince1970) + " \(entry.event)"
        + (entry.count > 1 ? " (\(entry.count) times)" : "")
    }
  }
}
