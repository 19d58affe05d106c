import B2CSettings
import Foundation

extension FuzzSubject {
  /// `Settings(data:)`, and writing back what was read.
  static let settings = FuzzSubject(name: "settings", makeInput: { SettingsInputs.make(&$0) }, judge: judgeSettings)

  @Sendable private static func judgeSettings(_ input: [UInt8]) -> Verdict {
    let settings: Settings
    do {
      settings = try Settings(data: Data(input), file: "settings.plist")
    } catch let error as SettingsError {
      return judge(error)
    } catch {
      return .broken("an error of type \(type(of: error))")
    }
    guard settings.warnings.allSatisfy({ $0.severity == .warning }) else { return .broken("an error among warnings") }
    do {
      guard try Settings(data: settings.propertyList()) == settings else { return .broken("the property list differs") }
      guard try Settings(data: settings.json()) == settings else { return .broken("the JSON differs") }
      return .accepted
    } catch {
      return .broken("what was read cannot be written: \(error)")
    }
  }

  private static func judge(_ error: SettingsError) -> Verdict {
    guard !error.problems.isEmpty else { return .broken("an error without a problem") }
    guard error.problems.count <= 100, error.warnings.count <= 100 else { return .broken("more than 100 problems") }
    guard !error.description.utf8.contains(0) else { return .broken("a control character in the description") }
    for problem in error.problems {
      guard !problem.message.isEmpty, problem.suggestion?.isEmpty == false else {
        return .broken("a problem without an answer: \(problem.kind.rawValue)")
      }
      guard problem.line.map({ $0 > 0 }) ?? true, (problem.line == nil) == (problem.column == nil) else {
        return .broken("a line that cannot be")
      }
    }
    return .refused
  }
}
