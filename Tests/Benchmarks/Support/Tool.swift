import Foundation
import TestSupport

/// Other programs of this machine.
enum Tool {
  /// Runs a program to its end, and returns what it has printed.
  @discardableResult
  static func run(_ arguments: String..., in directory: URL? = nil) throws -> String {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = arguments
    if let directory { process.currentDirectoryURL = directory }
    var environment = ProcessInfo.processInfo.environment
    // A user's build does not know the gate's flag.
    environment["B2C_WARNINGS_AS_ERRORS"] = nil
    process.environment = environment
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw Failure("\(arguments.joined(separator: " ")) failed: \(text.suffix(2_000))")
    }
    return text.trimmingCharacters(in: .whitespacesAndNewlines)
  }
}
