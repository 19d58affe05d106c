#if os(macOS) || os(Linux)
  package import Foundation

  extension Browser {
    /// Opens a URL in the user's browser, or asks the user to if no program does, for example in a remote shell.
    ///
    /// - Parameters:
    ///   - url: The URL, which other users of this machine can read on the command line.
    ///   - names: The programs, of which the first one on the search path is started.
    ///   - path: The search path.
    ///   - tell: Writes a text of two lines. The URL has a line of its own, so that no terminal cuts it.
    package static func open(
      _ url: URL, with names: [String] = ["xdg-open", "open"],
      path: String? = ProcessInfo.processInfo.environment["PATH"], orTell tell: (String) -> Void = printLine
    ) async {
      guard let program = find(names, in: path ?? ""), (try? await run(program, argument: url.absoluteString)) == 0
      else { return tell("Open this page in a browser on this machine, once:\n\(url.absoluteString)") }
    }

    static func printLine(_ text: String) {
      // A full disk or a closed descriptor loses the line, but must not end the process.
      try? FileHandle.standardError.write(contentsOf: Data((text + "\n").utf8))
    }

    private static func find(_ names: [String], in path: String) -> URL? {
      let directories = path.split(separator: ":").filter { $0.hasPrefix("/") }
      return names.lazy
        .flatMap { name in directories.map { URL(fileURLWithPath: String($0)).appendingPathComponent(name) } }
        .first { FileManager.default.isExecutableFile(atPath: $0.path) }
    }

    /// Runs a program and returns its exit status, for which some programs wait until the browser ends.
    private static func run(_ program: URL, argument: String) async throws -> CInt? {
      let process = Process()
      process.executableURL = program
      process.arguments = [argument]
      process.standardInput = FileHandle.nullDevice
      process.standardOutput = FileHandle.nullDevice
      process.standardError = FileHandle.nullDevice
      let ends = AsyncStream<CInt>.makeStream()
      process.terminationHandler = { ends.continuation.yield($0.terminationStatus) }
      try process.run()
      return await ends.stream.first { _ in true }
    }
  }
#endif
