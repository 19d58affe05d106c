import B2CSettings
import B2CTestKit
import Foundation

extension FuzzTarget {
  /// Settings files; a binary one is refused on Linux.
  static let settings = FuzzTarget(
    name: "settings", growthSize: 6 << 10, parse: { _ = try? ConnectorSettings(data: Data($0)) }, check: checkSettings)

  @Sendable private static func checkSettings(_ input: [UInt8]) throws {
    let settings: ConnectorSettings
    do throws(SettingsError) {
      settings = try ConnectorSettings(data: Data(input), file: "settings.plist")
    } catch {
      return try check(error, isText: isText(input))
    }
    try expect(settings.warnings.allSatisfy { $0.severity == .warning }, "an error among the warnings")
    for warning in settings.warnings { try checkPlace(of: warning, isText: isText(input)) }
    let written: Data
    do {
      written = try settings.propertyList()
    } catch {
      throw Broken("what was read cannot be written: \(error)")
    }
    let again = try? ConnectorSettings(data: written)
    try expect(again == settings, "what was written reads as \(String(describing: again))")
  }

  private static func isText(_ input: [UInt8]) -> Bool { !input.starts(with: "bplist".utf8) }

  /// Every problem of a text has a place, except what is wrong with the file as a whole or missing in it.
  private static func checkPlace(of problem: SettingsProblem, isText: Bool) throws {
    let kinds: Set<SettingsProblem.Kind> = [.missingKey, .emptyFile, .fileTooLarge]
    try expect(
      (problem.line != nil) == isText || kinds.contains(problem.kind),
      "\(isText ? "no place" : "a place in a binary file"): \(problem)")
    try expect(
      problem.line.map { $0 > 0 } ?? true && problem.column.map { $0 > 0 } ?? true
        && (problem.line == nil) == (problem.column == nil),
      "a place that cannot be: \(problem)")
  }

  private static func check(_ error: SettingsError, isText: Bool) throws {
    try expect(!error.problems.isEmpty, "an error without a problem")
    try expect(error.problems.count <= 100 && error.warnings.count <= 100, "more than 100 problems")
    try expect(
      error.description.unicodeScalars.allSatisfy { $0.value >= 0x20 || $0 == "\n" }, "a control character is shown")
    for problem in error.problems {
      try expect(!problem.message.isEmpty, "a problem without a message")
      try expect(
        (problem.suggestion ?? problem.recoverySuggestion)?.isEmpty == false,
        "a problem without an answer: \(problem.kind.rawValue)")
    }
    for problem in error.problems + error.warnings { try checkPlace(of: problem, isText: isText) }
  }
}
