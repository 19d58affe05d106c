import B2CCore
import Foundation
import TestSupport

/// A folder for one proof, removed at its end.
struct ProofFolder {
  let url: URL

  init(_ name: String) throws {
    url = FileManager.default.temporaryDirectory
      .appendingPathComponent("b2c-proof-\(name)-\(UUID().uuidString)", isDirectory: true)
    try FileManager.default.createDirectory(
      at: url, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
  }

  func remove() {
    try? FileManager.default.removeItem(at: url)
  }

  /// Everything below a folder that others could open, as "path (mode)".
  static func openToOthers(_ url: URL) throws -> [String] {
    try FileManager.default.subpathsOfDirectory(atPath: url.path).compactMap { path in
      let attributes = try FileManager.default.attributesOfItem(atPath: url.path + "/" + path)
      let mode = (attributes[.posixPermissions] as? NSNumber)?.intValue ?? -1
      let isFolder = attributes[.type] as? FileAttributeType == .typeDirectory
      return mode == (isFolder ? 0o700 : 0o600) ? nil : "\(path) (\(String(mode, radix: 8)))"
    }
  }

  /// The files in a cache's folder whose names have an end.
  static func files(_ url: URL, ending end: String) -> [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: url.path)) ?? []).filter { $0.hasSuffix(end) }
  }

  /// The temporary files in a cache's folder.
  static func strayFiles(_ url: URL) -> [String] { files(url, ending: ".new") }
}

/// A process of a proof's own, as it sees itself.
enum Worker {
  /// Straight to the pipe: what was said is there even when the process dies at the next instruction.
  static func say(_ line: String) { try? FileHandle.standardOutput.write(contentsOf: Data((line + "\n").utf8)) }

  /// Says that it is ready, and waits for the word to begin.
  static func waitForSignal() {
    say("ready")
    _ = readLine()
  }

  /// Starts a command as several processes; they begin together when each has said that it is ready.
  static func start(_ command: any ProofCommand.Type, _ arguments: [[String]]) throws -> [ChildProcess] {
    let children = try arguments.map { try ChildProcess(command, $0) }
    for child in children where child.readLine() != "ready" { throw ProofError("a worker did not start") }
    for child in children { child.signal() }
    return children
  }
}

extension ChildProcess {
  /// Starts a command of this program.
  ///
  /// - Parameters:
  ///   - command: What to run.
  ///   - arguments: Its arguments.
  ///   - keepsErrors: Whether ``errors`` is wanted.
  /// - Throws: What kept the process from starting.
  convenience init(_ command: any ProofCommand.Type, _ arguments: [String], keepsErrors: Bool = false) throws {
    try self.init(arguments: [command.name] + arguments, keepsErrors: keepsErrors)
  }
}

/// Waits for something, but not for ever.
enum Watchdog {
  /// Runs a body; `nil` when it has not come back in time.
  ///
  /// It is then left alone, since it may not heed anything.
  static func run<Result: Sendable>(
    _ limit: Duration, _ body: @escaping @Sendable () async -> Result
  ) async -> Result? {
    await withCheckedContinuation { continuation in
      let waiter = Locked<CheckedContinuation<Result?, Never>?>(continuation)
      let take = { @Sendable in
        waiter.withLock { waiter in
          defer { waiter = nil }
          return waiter
        }
      }
      let timer = Task {
        guard (try? await ContinuousClock().sleep(for: limit)) != nil else { return }
        take()?.resume(returning: nil)
      }
      Task {
        let result = await body()
        timer.cancel()
        take()?.resume(returning: result)
      }
    }
  }
}
