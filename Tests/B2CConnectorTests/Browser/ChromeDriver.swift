import B2CConnector
import Foundation

/// The program that drives Chromium: started on a port that the system chooses, gone with the test.
struct ChromeDriver {
  let origin: URL
  private let program: ChildProgram

  /// Where the driver is: named by `B2C_CHROMEDRIVER`, or found on the path; `nil` where there is no browser.
  static let executable: URL? = {
    let environment = ProcessInfo.processInfo.environment
    if let path = environment["B2C_CHROMEDRIVER"] { return path.isEmpty ? nil : URL(fileURLWithPath: path) }
    return (environment["PATH"] ?? "").split(separator: ":").map { URL(fileURLWithPath: "\($0)/chromedriver") }
      .first { FileManager.default.isExecutableFile(atPath: $0.path) }
  }()

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
