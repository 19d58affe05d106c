import B2CCore
import Foundation

/// Another program, started for one test; what it prints is read line by line while it runs.
final class ChildProgram {
  /// The lines of its standard output, until it closes it.
  let lines: AsyncStream<String>
  private let process = Process()
  private let endings: AsyncStream<Int32>

  init(_ executable: URL, _ arguments: [String]) throws {
    let output = Pipe()
    let lines = AsyncStream<String>.makeStream()
    let endings = AsyncStream<Int32>.makeStream()
    let rest = Locked(Data())
    self.lines = lines.stream
    self.endings = endings.stream
    output.fileHandleForReading.readabilityHandler = { handle in
      let data = handle.availableData
      guard !data.isEmpty else {
        handle.readabilityHandler = nil
        return lines.continuation.finish()
      }
      let complete = rest.withLock { rest -> [String] in
        var parts = (rest + data).split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        rest = Data(parts.removeLast())
        return parts.map { String(decoding: $0, as: UTF8.self) }
      }
      for line in complete { lines.continuation.yield(line) }
    }
    process.executableURL = executable
    process.arguments = arguments
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    process.terminationHandler = { process in
      endings.continuation.yield(process.terminationStatus)
      endings.continuation.finish()
    }
    try process.run()
  }

  deinit {
    stop()
  }

  /// Waits until it has ended by itself, and gives its exit code.
  func exitCode() async -> Int32? {
    for await code in endings { return code }
    return nil
  }

  /// Ends it for certain: a gentler signal may be one that it was started with blocked.
  func stop() {
    if process.isRunning { kill(process.processIdentifier, SIGKILL) }
  }
}
