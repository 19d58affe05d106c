import Foundation

/// This program, started again as another process.
final class ChildProcess {
  private let process = Process()
  private let output = Pipe()
  private let input = Pipe()

  /// Starts a command of this program.
  init(_ command: any ProofCommand.Type, _ arguments: [String]) throws {
    guard let executable = Bundle.main.executableURL else { throw ProofError("this program does not know where it is") }
    process.executableURL = executable
    process.arguments = [command.name] + arguments
    process.standardOutput = output
    process.standardInput = input
    try process.run()
  }

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
