import B2CConnector
import Foundation
import TestSupport

/// The work of this program when it has started itself again.
enum Child {
  static func run(_ arguments: [String]) async throws {
    let rest = Array(arguments.dropFirst())
    switch arguments.first {
    case "allocations": try await AllocationWork.run()
    case "serve-tasks": try await TaskListServer.run(rest)
    case "plain-requests": try await Row.plainRequests(rest)
    case "change-records": try await ForeignWriter.run(rest)
    case "refresh": try await RefreshingProcess.run(rest)
    case "launch": try await LaunchedProgram.run(rest)
    case "launch-bare": LaunchedProgram.runBare()
    case "server": try await Row.serverChild(rest)
    default: throw Failure("unknown child \(arguments)")
    }
  }

  /// Tells the parent something immediately, because `print` would keep it back.
  static func say(_ line: String) throws {
    try FileHandle.standardOutput.write(contentsOf: Data((line + "\n").utf8))
  }
}

extension ChildProcess {
  /// Starts this program again for one of the works of ``Child``.
  convenience init(_ work: String, _ arguments: [String] = [], environment: [String: String] = [:]) throws {
    try self.init(arguments: ["child", work] + arguments, environment: environment)
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

/// Counts the allocations of a silent hit, with the counter of `allocations.c` preloaded.
///
/// Other threads may allocate at any time, so the least of many rounds counts.
enum AllocationWork {
  static func run() async throws {
    let symbol = try require(dlsym(nil, "b2c_allocations"), "the preloaded counter")
    let count = unsafeBitCast(symbol, to: (@convention(c) () -> Int).self)
    let connector = try Scene.connector(try await Scene.memoryCache(users: 100))
    var least = Int.max
    for _ in 0..<200 {
      let before = count()
      let token = try await connector.accessToken(user: Scene.user(7))
      least = min(least, count() - before)
      withExtendedLifetime(token) {}
    }
    try Child.say("\(least)")
  }
}

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
