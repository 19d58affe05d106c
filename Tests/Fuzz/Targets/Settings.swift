import B2CSettings
import Foundation

extension FuzzTarget {
  /// Settings files.
  ///
  /// Binary ones are refused on Linux.
  static let settings = FuzzTarget(
    name: "settings", growthSize: 6 << 10, parse: { _ = try? ConnectorSettings(data: Data($0)) }, check: checkSettings)

  @Sendable private static func checkSettings(_ input: [UInt8]) throws {
    do {
      _ = try ConnectorSettings(data: Data(input), file: "settings.plist")
    } catch let error as SettingsError {
      try check(error)
    }
  }

  private static func check(_ error: SettingsError) throws {
    try expect(!error.problems.isEmpty, "an error without a problem")
    try expect(error.problems.count <= 100 && error.warnings.count <= 100, "more than 100 problems")
    try expect(
      error.description.unicodeScalars.allSatisfy { $0.value >= 0x20 || $0 == "\n" }, "a control character is shown")
    for problem in error.problems {
      try expect(!problem.message.isEmpty, "a problem without a message")
      try expect(
        (problem.suggestion ?? problem.recoverySuggestion)?.isEmpty == false,
        "a problem without an answer: \(problem)")
    }
  }
}
