#if os(macOS) || os(Linux)
  package import Foundation

  /// Another process, which runs this program again or another one.
  package final class ChildProcess {
    private let process = Process()
    private let output = Pipe()
    private let input = Pipe()
    private let errorFolder: TemporaryDirectory?

    /// Starts this program or another one, with more variables than this process has.
    ///
    /// With `keepsErrors`, the text that it writes to standard error is kept in ``errors`` instead of shown.
    package init(
      executable: URL? = nil, arguments: [String], environment: [String: String] = [:], keepsErrors: Bool = false
    ) throws {
      var environment = environment
      errorFolder = keepsErrors ? try TemporaryDirectory() : nil
      if let errorFile {
        try Data().write(to: errorFile)
        process.standardError = try FileHandle(forWritingTo: errorFile)
        // A backtrace of a process that is meant to end takes seconds.
        environment["SWIFT_BACKTRACE"] = "enable=no"
      }
      process.executableURL = try executable ?? Self.executable()
      process.arguments = arguments
      process.standardOutput = output
      process.standardInput = input
      process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
      try process.run()
    }

    private var errorFile: URL? { errorFolder?.url.appendingPathComponent("errors") }

    package static func executable() throws -> URL {
      guard let url = Bundle.main.executableURL else { throw CocoaError(.fileNoSuchFile) }
      return url
    }

    /// The text that it wrote to standard error, if that is kept.
    package var errors: String { errorFile.flatMap { try? String(contentsOf: $0, encoding: .utf8) } ?? "" }

    package var isRunning: Bool { process.isRunning }

    package func readLine() -> String {
      var line = Data()
      while true {
        let byte = output.fileHandleForReading.readData(ofLength: 1)
        if byte.isEmpty || byte.first == UInt8(ascii: "\n") { return String(decoding: line, as: UTF8.self) }
        line.append(byte)
      }
    }

    /// Sends the child a line of input, for which it waits.
    package func signal() { input.fileHandleForWriting.write(Data("\n".utf8)) }

    package func end() { send(SIGKILL) }

    /// Kills the child and returns what it had written until then.
    package func killAndRead() -> String {
      end()
      return readToEnd()
    }

    /// Sends the child a signal, for example `SIGSTOP` to stop it as a machine that sleeps does.
    package func send(_ signal: Int32) {
      if process.isRunning { kill(process.processIdentifier, signal) }
    }

    /// Ends the input, waits for the end, and returns the rest of the output.
    @discardableResult
    package func readToEnd() -> String {
      try? input.fileHandleForWriting.close()
      let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
      process.waitUntilExit()
      return text
    }

    /// The exit code, or as a negative number the signal that ended it.
    package var ending: Int32 {
      process.terminationReason == .uncaughtSignal ? -process.terminationStatus : process.terminationStatus
    }
  }
#endif
