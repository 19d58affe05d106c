internal import B2CCore

/// Lets other tasks run until a condition holds, for what a test cannot wait for in another way.
///
/// - Throws: `CancellationError` when the calling task is cancelled, so that a test's time limit ends a wait in vain.
package func yielding(
  until condition: () async throws -> Bool, isolation: isolated (any Actor)? = #isolation
) async throws {
  while try await !condition() {
    try Task.checkCancellation()
    await Task.yield()
  }
}

/// Makes calls at the same time, each with its number, and returns their values in any order.
@discardableResult
package func simultaneously<Value: Sendable>(
  _ count: Int, _ call: @escaping @Sendable (Int) async throws -> Value
) async throws -> [Value] {
  try await withThrowingTaskGroup(of: Value.self) { group in
    for number in 0..<count { group.addTask { try await call(number) } }
    return try await group.reduce(into: []) { $0.append($1) }
  }
}

/// Keeps what it is given, in order.
package final class Recorder<Value: Sendable>: Sendable {
  private let kept = Locked<[Value]>([])

  package init() {}

  package var values: [Value] { kept.withLock { $0 } }

  package func record(_ value: Value) { kept.withLock { $0.append(value) } }
}

/// The reason why a program of the tests could not do its work.
package struct Failure: Error, CustomStringConvertible {
  package let description: String

  package init(_ description: String) { self.description = description }
}
