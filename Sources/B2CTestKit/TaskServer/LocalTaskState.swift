internal import Foundation

/// All that a task server remembers.
struct LocalTaskState: Sendable {
  var tasks: [LocalTask] = []
  var rateLimit: LocalTaskServer.RateLimit?
  var listLimit: Int?
  var bugs: LocalTaskServer.Bugs
  var front: LocalFront?
  private var bucket: (level: Double, time: Date)?

  init(rateLimit: LocalTaskServer.RateLimit?, listLimit: Int?, bugs: LocalTaskServer.Bugs) {
    self.rateLimit = rateLimit
    self.listLimit = listLimit
    self.bugs = bugs
  }

  /// Takes one request out of the bucket; says whether there was one.
  mutating func takeToken(now: Date) -> Bool {
    guard let limit = rateLimit else { return true }
    var level = Double(limit.burst)
    if let bucket {
      let refill = max(0, now.timeIntervalSince(bucket.time)) * Double(limit.requestsPerSecond)
      level = min(level, bucket.level + refill)
    }
    let isAllowed = level >= 1
    bucket = (isAllowed ? level - 1 : level, now)
    return isAllowed
  }
}
