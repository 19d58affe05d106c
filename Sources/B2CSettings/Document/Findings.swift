/// What the layers of reading found, with offsets that become lines at the end.
struct Findings {
  struct Finding {
    var problem: SettingsProblem
    var offset: Int?

    /// The place of the key in the table of keys, for files without lines.
    var rank: Int {
      SettingsKey.first(of: problem.keyPath).flatMap(SettingsKey.allCases.firstIndex) ?? SettingsKey.allCases.count
    }
  }

  private(set) var errors: [Finding] = []
  private(set) var warnings: [Finding] = []

  var hasErrors: Bool { !errors.isEmpty }

  /// Keeps a problem, unless so many are kept that another one helps nobody.
  mutating func add(_ problem: SettingsProblem, at offset: Int?) {
    var problem = problem
    problem.value = problem.value.flatMap(Shown.value)
    let finding = Finding(problem: problem, offset: offset)
    if problem.severity == .warning {
      if warnings.count < Limits.findings { warnings.append(finding) }
    } else {
      if errors.count < Limits.findings { errors.append(finding) }
    }
  }

  /// Keeps a problem of the file as a whole.
  mutating func addToFile(
    _ kind: SettingsProblem.Kind, _ message: String, advice: String, keyPath: String = "", at offset: Int? = nil
  ) {
    add(SettingsProblem(keyPath: keyPath, kind: kind, message: message, advice: advice), at: offset)
  }

  /// The problems with lines and columns, in the order of the file.
  static func located(_ findings: [Finding], in text: SourceText?) -> [SettingsProblem] {
    let ordered = findings.enumerated().sorted { left, right in
      (left.element.offset ?? .max, left.element.rank, left.offset)
        < (right.element.offset ?? .max, right.element.rank, right.offset)
    }
    return ordered.map { _, finding in
      var problem = finding.problem
      if let offset = finding.offset, let position = text?.position(at: offset) {
        problem.line = position.line
        problem.column = position.column
      }
      return problem
    }
  }
}
