#if os(macOS) || os(Linux)
  internal import B2CCore
  internal import Foundation

  extension BrowserOpening {
    /// The user's own browser, through `open` on macOS and `xdg-open` on Linux.
    ///
    /// Fails where there is none, such as in a remote shell; then ``fallingBack(to:)`` with ``printing(to:)`` helps.
    public static var system: BrowserOpening { command(named: [systemProgram]) }

    /// The first of some programs that is found on the search path, started with the URL as its only argument.
    package static func command(
      named names: [String], path: String? = ProcessInfo.processInfo.environment["PATH"]
    ) -> BrowserOpening {
      BrowserOpening { url in
        guard let program = find(names, in: path ?? "") else {
          throw OAuthError(
            .presentationFailed,
            "There is no program that opens a browser (looked for \(names.joined(separator: ", "))).",
            recoverySuggestion: "Install xdg-utils, or use BrowserOpening.printing(to:).")
        }
        try await run(program, argument: url.absoluteString)
      }
    }

    private static func find(_ names: [String], in path: String) -> URL? {
      let folders = path.split(separator: ":").filter { $0.hasPrefix("/") }
      return names.lazy
        .flatMap { name in folders.map { URL(fileURLWithPath: String($0)).appendingPathComponent(name) } }
        .first { FileManager.default.isExecutableFile(atPath: $0.path) }
    }

    private static func run(_ program: URL, argument: String) async throws {
      let process = Process()
      process.executableURL = program
      process.arguments = [argument]
      process.standardInput = FileHandle.nullDevice
      process.standardOutput = FileHandle.nullDevice
      process.standardError = FileHandle.nullDevice
      let ends = AsyncStream<CInt>.makeStream()
      process.terminationHandler = { process in
        ends.continuation.yield(process.terminationStatus)
        ends.continuation.finish()
      }
      try process.run()
      // Some programs stay as long as the browser does: whoever has the answer cancels this wait, not the browser.
      for await status in ends.stream where status != 0 {
        throw OAuthError(
          .presentationFailed, "\(program.lastPathComponent) could not open a browser (exit status \(status)).",
          recoverySuggestion: "Use BrowserOpening.printing(to:) where there is no desktop.")
      }
    }
  }
#endif
