import B2CCore
import Foundation
import TestSupport

/// A process of a proof's own, as it sees itself.
enum Worker {
  /// Writes straight to the pipe, so that the line is there even if the process dies at the next instruction.
  static func say(_ line: String) { try? FileHandle.standardOutput.write(contentsOf: Data((line + "\n").utf8)) }

  /// Says that it is ready, and waits for the word to begin.
  static func waitForSignal() {
    say("ready")
    _ = readLine()
  }

  /// Starts a command as several processes, which begin together when each has said that it is ready.
  static func start(_ command: any ProofCommand.Type, _ arguments: [[String]]) throws -> [ChildProcess] {
    let children = try arguments.map { try ready(command, $0) }
    for child in children { child.signal() }
    return children
  }

  /// Starts a command as a process, and waits until it says that it is ready.
  static func ready(_ command: any ProofCommand.Type, _ arguments: [String]) throws -> ChildProcess {
    let child = try ChildProcess(command, arguments)
    guard child.readLine() == "ready" else { throw ProofError("\(command.name) did not start") }
    return child
  }
}

extension ChildProcess {
  /// Starts a command of this program.
  convenience init(_ command: any ProofCommand.Type, _ arguments: [String], keepsErrors: Bool = false) throws {
    try self.init(arguments: [command.name] + arguments, keepsErrors: keepsErrors)
  }
}

/// A limit for a body that may never return.
enum Watchdog {
  /// Runs a body, and returns `nil` if it is not back in time.
  ///
  /// The body is then left alone, because it may ignore its cancellation.
  static func run<Result: Sendable>(
    _ limit: Duration, _ body: @escaping @Sendable () async -> Result
  ) async -> Result? {
    try? await abandoning(after: limit, on: ContinuousClock(), throwing: ProofError("it hangs"), body)
  }
}
