import Foundation

/// MSAL for Python, measured by `msal-peer.py` beside this program's rows.
enum Peer {
  static let subject = "MSAL for Python"

  private struct Figure: Decodable {
    let row: String
    let name: String
    let value: Double
    let unit: String
  }

  static func measure(_ python: String, _ context: Context) throws -> [Measurement] {
    let script = "Tests/Benchmarks/msal-peer.py"
    guard FileManager.default.fileExists(atPath: script) else {
      throw Failure("run it in the directory of the package")
    }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: python)
    process.arguments = [script] + (context.isQuick ? ["--quick"] : [])
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw Failure("\(script) failed") }
    return try JSONDecoder().decode([Figure].self, from: data).map { figure in
      var measurement = Measurement(figure.name, figure.value, figure.unit)
      measurement.row = figure.row
      measurement.subject = subject
      return measurement
    }
  }
}
