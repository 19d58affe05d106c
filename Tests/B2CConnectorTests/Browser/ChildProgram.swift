#if os(macOS) || os(Linux)
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
      self.lines = lines.stream
      self.endings = endings.stream
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
      Self.read(output.fileHandleForReading, into: lines.continuation)
    }

    /// Reads on a dedicated thread, so that the handle is closed only when no one reads from it any more.
    private static func read(_ handle: FileHandle, into lines: AsyncStream<String>.Continuation) {
      Thread.detachNewThread {
        var rest = Data()
        while true {
          let data = handle.availableData
          if data.isEmpty { break }
          var parts = (rest + data).split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
          rest = Data(parts.removeLast())
          for part in parts { lines.yield(String(decoding: part, as: UTF8.self)) }
        }
        lines.finish()
      }
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
#endif
