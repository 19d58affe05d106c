public import Foundation

/// Why a settings file cannot be used: everything that is wrong with it, at once.
public struct SettingsError: Error, Sendable, Hashable {
  /// The path or name of the file, where there is one.
  public let file: String?
  /// What has to be mended, in the order of the file; what is missing from the file comes last.
  public let problems: [SettingsProblem]
  /// What should be looked at besides.
  public let warnings: [SettingsProblem]

  /// Makes an error from problems.
  ///
  /// - Parameters:
  ///   - file: The path or name of the file.
  ///   - problems: What has to be mended.
  ///   - warnings: What should be looked at besides.
  public init(file: String?, problems: [SettingsProblem], warnings: [SettingsProblem] = []) {
    self.file = file
    self.problems = problems
    self.warnings = warnings
  }
}

extension SettingsError: CustomStringConvertible {
  /// A headline with the counts, then one line for each problem and each warning.
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
