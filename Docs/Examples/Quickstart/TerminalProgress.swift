import Foundation

/// Shows on standard error what is awaited and how much time is left.
struct TerminalProgress: Sendable {
  let timeout: Duration

  /// Runs an operation and shows until its end what is awaited.
  func waiting<Value: Sendable>(for what: String, _ operation: () async throws -> Value) async rethrows -> Value {
    let ticker = Task { await tick(what) }
    defer { ticker.cancel() }
    return try await operation()
  }

  /// Writes a line to standard error.
  static func write(_ line: String) {
    try? FileHandle.standardError.write(contentsOf: Data((line + "\n").utf8))
  }

  private func tick(_ what: String) async {
    var left = timeout
    while left > .zero {
      Self.write("Waiting for \(what) (\(left.components.seconds) s left)")
      guard (try? await Task.sleep(for: .seconds(30))) != nil else { return }
      left -= .seconds(30)
    }
  }
}
