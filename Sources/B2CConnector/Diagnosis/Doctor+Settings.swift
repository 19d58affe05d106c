internal import Foundation

// What the settings and the errors of making a connector say.
extension Doctor {
  /// What reading settings said, problem by problem, and what waits behind it.
  static func findings(ofUnreadable error: ConnectorError) -> [Finding] {
    guard let settings = error.underlying as? SettingsError else {
      return [finding(of: error, check: "settings")] + skipped
    }
    return settings.problems.map { finding(of: $0, .failed) } + settings.warnings.map { finding(of: $0, .warning) }
      + skipped
  }

  private static var skipped: [Finding] {
    ["authority", "metadata", "keys", "clock", "redirect URI", "token cache", "task API"].map {
      Finding($0, .skipped, "the settings have to be mended first")
    }
  }

  static func findings(of settings: Settings) -> [Finding] {
    let warnings = settings.warnings.map { finding(of: $0, .warning) }
    return warnings.isEmpty ? [Finding("settings", .ok, "every key is readable")] : warnings
  }

  /// An error as a finding; the text of an error from elsewhere is not repeated, for it may hold anything.
  static func finding(of error: any Error, check: String) -> Finding {
    switch error {
    case let error as ConnectorError:
      Finding(check, .failed, error.message, mend: error.recoverySuggestion)
    case let error as OAuthError:
      Finding(check, .failed, error.message, mend: error.recoverySuggestion)
    case let error as TokenCacheError:
      Finding(check, .failed, error.message, mend: error.recoverySuggestion)
    default:
      Finding(check, .failed, "it failed with \(type(of: error))")
    }
  }

  private static func finding(of problem: SettingsProblem, _ outcome: Finding.Outcome) -> Finding {
    let name = problem.keyPath.isEmpty ? "the file" : problem.keyPath
    let place = name + (problem.line.map { " (line \($0))" } ?? "")
    let correction = problem.correctedValue.map { "Write \(withoutQuery($0))" }
    let mend = [problem.advice, correction].compactMap(\.self).joined(separator: " ")
    return Finding("settings: " + place, outcome, problem.message, mend: mend.isEmpty ? nil : mend)
  }

  /// A URL of an API may carry a key in its query, and a diagnosis is for others to read.
  private static func withoutQuery(_ text: String) -> String {
    guard text.contains("://"), let mark = text.firstIndex(of: "?"), !text[mark...].lowercased().hasPrefix("?p=") else {
      return text
    }
    return text[..<mark] + "?…"
  }
}
