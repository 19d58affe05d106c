#if os(macOS) || os(Linux)
  internal import B2CCore
  internal import Foundation

  extension BrowserOpening {
    /// The user's own browser, through `xdg-open` on Linux and `open` on macOS.
    ///
    /// Fails where there is none, such as in a remote shell; ``printing(to:)`` helps there.
    public static var system: BrowserOpening { command(named: ["xdg-open", "open"]) }

    /// Returns a way that starts the first of some programs on the search path, with the URL as its only argument.
    package static func command(
      named names: [String], path: String? = ProcessInfo.processInfo.environment["PATH"]
    ) -> BrowserOpening {
      BrowserOpening(exposesURL: true) { url in
        guard let program = find(names, in: path ?? "") else {
          throw ConnectorError(
            own: .presentationFailed,
            "There is no program that opens a browser (looked for \(names.joined(separator: ", "))).",
            recoverySuggestion: "Install xdg-utils, or use BrowserOpening.printing(to:).")
        }
        try await run(program, argument: url.absoluteString)
      }
    }

    private static func find(_ names: [String], in path: String) -> URL? {
      let directories = path.split(separator: ":").filter { $0.hasPrefix("/") }
      return names.lazy
        .flatMap { name in directories.map { URL(fileURLWithPath: String($0)).appendingPathComponent(name) } }
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
      // Some programs run as long as the browser does: the end of the sign-in cancels this wait, not the browser.
      for await status in ends.stream where status != 0 {
        throw ConnectorError(
          own: .presentationFailed, "\(program.lastPathComponent) could not open a browser (exit status \(status)).",
          recoverySuggestion: "Use BrowserOpening.printing(to:) where there is no desktop.")
      }
    }
  }

  extension LoopbackPresenter {
    /// Creates a presenter that opens the user's own browser, or prints the URL to standard error where there is none.
    ///
    /// - Parameters:
    ///   - page: Returns the HTML that the browser shows at the end; a page in English when `nil`.
    ///   - timeout: The longest wait for the user; 5 minutes.
    ///   - clock: The clock that the timeout runs on.
    public init(
      page: (@Sendable (_ isSuccess: Bool) -> String)? = nil, timeout: Duration = .seconds(300),
      clock: any Clock<Duration> = ContinuousClock()
    ) {
      self.init(opening: .system.fallingBack(to: .printing()), page: page, timeout: timeout, clock: clock)
    }
  }
#endif
