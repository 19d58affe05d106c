internal import Foundation

/// What tells one state of a file from another without reading it.
struct FileStamp: Equatable, Sendable {
  /// Seconds and nanoseconds since 1970 by the file system's clock.
  struct Moment: Equatable, Sendable {
    let seconds: Int
    let nanoseconds: Int

    init(_ seconds: Int, _ nanoseconds: Int) {
      self.seconds = seconds
      self.nanoseconds = nanoseconds
    }
  }

  let device: UInt64
  let file: UInt64
  let size: Int64
  let modified: Moment
  let changed: Moment

  /// Whether a later change is sure to give another stamp.
  ///
  /// A file system counts time in steps of up to 10 ms (some in whole seconds) and gives the number of a removed file to
  /// the next one, so two states within one step can look alike. Only a stamp that is older than a step can be relied on;
  /// a clock that was set back makes stamps look young, which costs a read and nothing else.
  func isSettled(at now: Date) -> Bool {
    let step = changed.nanoseconds == 0 ? 2.0 : 0.05
    let age = now.timeIntervalSince1970 - (Double(changed.seconds) + Double(changed.nanoseconds) / 1e9)
    return age > step
  }
}
