import Foundation

/// This program, started again as another process.
final class ChildProcess {
  private let process = Process()
  private let output = Pipe()
  private let input = Pipe()
  private let errorFile: URL?

  /// Starts a command of this program.
  ///
  /// - Parameters:
  ///   - command: What to run.
  ///   - arguments: Its arguments.
  ///   - keepsErrors: Whether ``errors`` is wanted: what it writes to standard error is then not shown.
  /// - Throws: What kept the process from starting.
  init(_ command: any ProofCommand.Type, _ arguments: [String], keepsErrors: Bool = false) throws {
    guard let executable = Bundle.main.executableURL else { throw ProofError("this program does not know where it is") }
    process.executableURL = executable
    process.arguments = [command.name] + arguments
    process.standardOutput = output
    process.standardInput = input
    errorFile =
      keepsErrors ? FileManager.default.temporaryDirectory.appendingPathComponent("b2c-\(UUID().uuidString)") : nil
    if let errorFile {
      _ = FileManager.default.createFile(atPath: errorFile.path, contents: nil)
      process.standardError = try FileHandle(forWritingTo: errorFile)
      // A backtrace of a process that is meant to end takes seconds.
      process.environment = ProcessInfo.processInfo.environment.merging(["SWIFT_BACKTRACE": "enable=no"]) { $1 }
    }
    try process.run()
  }

  deinit {
    if let errorFile { try? FileManager.default.removeItem(at: errorFile) }
  }

  /// What it wrote to standard error, if that is kept.
  var errors: String { errorFile.flatMap { try? String(contentsOf: $0, encoding: .utf8) } ?? "" }

  /// Whether it has not ended yet.
  var isRunning: Bool { process.isRunning }

  /// Waits for one line of output.
  func readLine() -> String {
    var line = Data()
    while true {
      let byte = output.fileHandleForReading.readData(ofLength: 1)
      if byte.isEmpty || byte.first == UInt8(ascii: "\n") { return String(decoding: line, as: UTF8.self) }
      line.append(byte)
    }
  }

  /// Lets a child go on that waits for its input.
  func signal() {
    input.fileHandleForWriting.write(Data("\n".utf8))
  }

  /// Kills the child and answers what it had written until then.
  func killAndRead() -> String {
    kill(process.processIdentifier, SIGKILL)
    return readToEnd()
  }

  /// Waits for the end and answers all that was written.
  func readToEnd() -> String {
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return text
  }

  /// How it ended: the exit code, or the signal as a negative number.
  var ending: Int32 {
    process.terminationReason == .uncaughtSignal ? -process.terminationStatus : process.terminationStatus
  }
}
