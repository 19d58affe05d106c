internal import Dispatch

/// Threads of the cache's own for calls that wait for a disk, so that the threads shared by all tasks never do.
struct DiskQueue: Sendable {
  private static let width = 4
  private let queues: [DispatchQueue]

  init() {
    queues = (0..<Self.width).map { DispatchQueue(label: "B2CTokenCache.disk.\($0)", qos: .userInitiated) }
  }

  /// Runs a blocking body on one of the threads; bodies with the same name run one after the other.
  func run<Result: Sendable>(
    _ name: String, _ body: @escaping @Sendable () throws -> Result
  ) async throws -> Result {
    let number = name.utf8.reduce(0) { ($0 &* 31 &+ Int($1)) & 0xFFFF }
    return try await withCheckedThrowingContinuation { continuation in
      queues[number % Self.width].async {
        continuation.resume(with: Swift.Result { try body() })
      }
    }
  }
}
