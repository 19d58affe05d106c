public import Foundation

/// The error of a settings file: all its problems at once.
public struct SettingsError: Error, Sendable, Equatable {
  /// The path or name of the file, where there is one.
  public let file: String?
  /// The problems in the order of the file; missing keys come last.
  public let problems: [SettingsProblem]
  /// The warnings in the order of the file.
  public let warnings: [SettingsProblem]

  package init(file: String?, problems: [SettingsProblem], warnings: [SettingsProblem] = []) {
    self.file = file
    self.problems = problems
    self.warnings = warnings
  }
}

extension SettingsError: CustomStringConvertible {
  /// A headline with the counts, then one line for each problem and warning.
  public var description: String {
    var lines = ["\(file ?? "The settings"): \(Self.count(problems.count, "problem"))"]
    if !warnings.isEmpty { lines[0] += ", " + Self.count(warnings.count, "warning") }
    lines += problems.map { "  \($0)" }
    lines += warnings.map { "  warning: \($0)" }
    return lines.joined(separator: "\n")
  }

  private static func count(_ number: Int, _ noun: String) -> String {
    "\(number) \(noun)\(number == 1 ? "" : "s")"
  }
}

extension SettingsError: LocalizedError {
  /// The same text as the description.
  public var errorDescription: String? { description }
}
