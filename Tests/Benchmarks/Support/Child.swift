import Foundation

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// What this program does when it has started itself again.
enum Child {
  static func run(_ arguments: [String]) async throws {
    let rest = Array(arguments.dropFirst())
    switch arguments.first {
    case "allocations": try await AllocationWork.run(rest)
    case "serve-tasks": try await TaskListServer.run(rest)
    case "change-records": try await ForeignWriter.run(rest)
    case "refresh": try await RefreshingProcess.run(rest)
    case "launch": try await LaunchedProgram.run(rest)
    case "launch-bare": LaunchedProgram.runBare()
    default: throw Failure("unknown child \(arguments)")
    }
  }

  /// Tells the parent something at once; `print` would keep it back.
  static func say(_ line: String) throws {
    try FileHandle.standardOutput.write(contentsOf: Data((line + "\n").utf8))
  }
}

/// This program, started again as another process.
final class ChildProcess {
  private let process = Process()
  private let output = Pipe()
  private let input = Pipe()

  init(_ command: String, _ arguments: [String] = [], environment: [String: String] = [:]) throws {
    process.executableURL = try Self.executable()
    process.arguments = ["child", command] + arguments
    process.standardOutput = output
    process.standardInput = input
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    try process.run()
  }

  static func executable() throws -> URL { try require(Bundle.main.executableURL, "this program's path") }

  var status: Int32 { process.terminationStatus }

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

  /// Ends the input, waits for the end, and returns the rest of the output.
  @discardableResult
  func readToEnd() -> String {
    try? input.fileHandleForWriting.close()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return text
  }

  /// Runs a child to its end without pipes or run loop, and returns the seconds from its start to its end.
  static func time(_ command: String, _ arguments: [String] = []) throws -> Double {
    let path = try executable().path
    let strings = ([path, "child", command] + arguments).map { strdup($0) }
    let variables = ProcessInfo.processInfo.environment.map { strdup("\($0.key)=\($0.value)") }
    defer { (strings + variables).forEach { free($0) } }
    var pid = pid_t()
    let start = ContinuousClock.now
    guard posix_spawn(&pid, path, nil, nil, strings + [nil], variables + [nil]) == 0 else {
      throw Failure("\(command) did not start")
    }
    var status: Int32 = 0
    guard waitpid(pid, &status, 0) == pid, status == 0 else { throw Failure("\(command) ended with \(status)") }
    return start.duration(to: .now) / .seconds(1)
  }
}
