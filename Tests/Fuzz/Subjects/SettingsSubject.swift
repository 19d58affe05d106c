import B2CSettings
import Foundation

extension FuzzSubject {
  /// `ConnectorSettings(data:)`, and writing back what was read.
  static let settings = FuzzSubject(name: "settings", makeInput: { SettingsInputs.make(&$0) }, judge: judgeSettings)

  @Sendable private static func judgeSettings(_ input: [UInt8]) -> Verdict {
    do throws(SettingsError) {
      let settings = try ConnectorSettings(data: Data(input), file: "settings.plist")
      guard settings.warnings.allSatisfy({ $0.severity == .warning }) else { return .broken("an error among warnings") }
      return judge(settings)
    } catch {
      return judge(error)
    }
  }

  private static func judge(_ settings: ConnectorSettings) -> Verdict {
    do throws(SettingsError) {
      let again = try ConnectorSettings(data: settings.propertyList())
      return again == settings ? .accepted : .broken("the property list differs")
    } catch {
      return .broken("what was read cannot be written: \(error)")
    }
  }

  private static func judge(_ error: SettingsError) -> Verdict {
    guard !error.problems.isEmpty else { return .broken("an error without a problem") }
    guard error.problems.count <= 100, error.warnings.count <= 100 else { return .broken("more than 100 problems") }
    guard !error.description.utf8.contains(0) else { return .broken("a control character in the description") }
    for problem in error.problems {
      guard !problem.message.isEmpty, (problem.suggestion ?? problem.recoverySuggestion)?.isEmpty == false else {
        return .broken("a problem without an answer: \(problem.kind.rawValue)")
      }
      guard problem.line.map({ $0 > 0 }) ?? true, (problem.line == nil) == (problem.column == nil) else {
        return .broken("a line that cannot be")
      }
    }
    return .refused
  }
}
