internal import Foundation

/// Lines that a person types or pastes.
enum TerminalInput {
  /// Reads a line from standard input; `nil` at its end or when the calling task is cancelled.
  ///
  /// The reading itself cannot be interrupted: after a cancellation a thread stays that takes the next line.
  static let standardInput: @Sendable () async -> String? = {
    let lines = AsyncStream<String>.makeStream()
    Thread.detachNewThread {
      if let line = readLine() { lines.continuation.yield(line) }
      lines.continuation.finish()
    }
    return await lines.stream.first { _ in true }
  }
}
