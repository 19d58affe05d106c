#if os(macOS) || os(Linux)
  import B2CConnector
  import Foundation
  import TestSupport

  /// The program that drives Chromium: started on a port that the system chooses, gone with the test.
  struct ChromeDriver {
    let origin: URL
    private let program: ChildProgram

    /// Where the driver is, as `B2C_CHROMEDRIVER` says; `nil` when it says nothing.
    ///
    /// A driver that merely lies on the path is left alone: a plain run of the tests opens no one's browser.
    static let executable: URL? = ProcessInfo.processInfo.environment["B2C_CHROMEDRIVER"].flatMap {
      $0.isEmpty ? nil : URL(fileURLWithPath: $0)
    }

    init() async throws {
      guard let executable = Self.executable else { throw WebDriverError("There is no chromedriver.") }
      program = try ChildProgram(executable, ["--port=0", "--log-level=SEVERE"])
      for await line in program.lines {
        guard let match = line.firstMatch(of: /started successfully on port ([0-9]+)/) else { continue }
        origin = try url("http://127.0.0.1:\(match.1)")
        return
      }
      throw WebDriverError("\(executable.path) ended before it said which port it listens on.")
    }

    func stop() {
      program.stop()
    }
  }
#endif
