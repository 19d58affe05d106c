import B2CSettings
import Foundation

extension FuzzTarget {
  /// Settings files: XML, JSON and binary.
  static let settings = FuzzTarget(
    name: "settings", growthSize: 6 << 10, parse: { _ = try? ConnectorSettings(data: Data($0)) }, check: checkSettings)

  @Sendable private static func checkSettings(_ input: [UInt8]) throws {
    let settings: ConnectorSettings
    do throws(SettingsError) {
      settings = try ConnectorSettings(data: Data(input), file: "settings.plist")
    } catch {
      return try check(error)
    }
    try expect(settings.warnings.allSatisfy { $0.severity == .warning }, "an error among the warnings")
    let written: Data
    do {
      written = try settings.propertyList()
    } catch {
      throw Broken("what was read cannot be written: \(error)")
    }
    let again = try? ConnectorSettings(data: written)
    try expect(again == settings, "what was written reads as \(String(describing: again))")
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
        "a problem without an answer: \(problem.kind.rawValue)")
      try expect(
        problem.line.map { $0 > 0 } ?? true && (problem.line == nil) == (problem.column == nil),
        "a place that cannot be")
    }
  }
}
