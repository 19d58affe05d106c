/// A fault in the form of a file.
struct DocumentFault: Error {
  var kind = SettingsProblem.Kind.malformed
  let message: String
  /// In bytes of the UTF-8 text; `nil` for a fault without a place.
  var offset: Int?
  var value: String?
  var suggestion: String?
  let recovery: String
}

/// The problems found so far, with offsets that become lines at the end; the readers of a file share it.
final class Findings {
  /// The text as UTF-8, for lines and columns; empty for a binary file, and for settings made in code.
  var text: [UInt8] = []
  private var keyOffsets: [String: Int] = [:]
  private var valueOffsets: [String: Int] = [:]

  private struct Finding {
    var problem: SettingsProblem
    var offset: Int?
    /// The key's place in the table of keys, for what has no place in a text.
    var keyOrder: Int
  }

  // Further ones would be of the same kind.
  private static let limit = 100

  private var errors: [Finding] = []
  private var warnings: [Finding] = []

  var hasErrors: Bool { !errors.isEmpty }

  /// Records the place of a key; of a repeated one the first counts.
  func recordKey(_ path: SettingsPath, at offset: Int) {
    keyOffsets.merge([path.description: offset]) { first, _ in first }
  }

  /// Records the place of a value.
  func recordValue(_ path: SettingsPath, at offset: Int) {
    valueOffsets.merge([path.description: offset]) { first, _ in first }
  }

  /// Returns where a key is, in bytes of the text.
  func keyOffset(_ path: SettingsPath) -> Int? { keyOffsets[path.description] }

  /// Returns where a value is, in bytes of the text.
  func valueOffset(_ path: SettingsPath) -> Int? { valueOffsets[path.description] }

  /// Adds a problem.
  ///
  /// A value is shown only as far as it cannot be secret; where it cannot be shown whole, neither can its correction. The
  /// place is `offset`, otherwise that of the path's key or value.
  func add(
    _ kind: SettingsProblem.Kind, _ message: String, at path: SettingsPath,
    severity: SettingsProblem.Severity = .error, value: String? = nil, suggestion: String? = nil,
    recovery: String? = nil, isAboutKey: Bool = false, offset: Int? = nil
  ) {
    let offset = offset ?? (isAboutKey ? keyOffset(path) : valueOffset(path))
    let isSafe = suggestion.map { Shown.queryStart($0) == nil } ?? true
    let problem = SettingsProblem(
      keyPath: path.description, kind: kind, severity: severity, value: value.flatMap(Shown.value), message: message,
      suggestion: isSafe ? suggestion : nil,
      recoverySuggestion: recovery ?? (isSafe ? nil : path.key?.recovery(isGeneric: false)))
    let keyOrder = path.key.flatMap(SettingsKey.allCases.firstIndex) ?? SettingsKey.allCases.count
    let finding = Finding(problem: problem, offset: offset, keyOrder: keyOrder)
    if severity == .warning {
      if warnings.count < Self.limit { warnings.append(finding) }
    } else {
      if errors.count < Self.limit { errors.append(finding) }
    }
  }

  func add(_ fault: DocumentFault, at path: SettingsPath = SettingsPath()) {
    add(
      fault.kind, fault.message, at: path, value: fault.value, suggestion: fault.suggestion, recovery: fault.recovery,
      offset: fault.offset)
  }

  /// Returns errors and warnings in the order of the file, with lines and columns where it is a text.
  func located() -> (errors: [SettingsProblem], warnings: [SettingsProblem]) { (located(errors), located(warnings)) }

  private func located(_ findings: [Finding]) -> [SettingsProblem] {
    let ordered = findings.enumerated().sorted { left, right in
      (left.element.offset ?? .max, left.element.keyOrder, left.offset)
        < (right.element.offset ?? .max, right.element.keyOrder, right.offset)
    }
    var position = TextPosition()
    return ordered.map { _, finding in
      var problem = finding.problem
      if let offset = finding.offset {
        position.advance(to: offset, in: text)
        problem.line = position.line
        problem.column = position.column
      }
      return problem
    }
  }
}

/// A line and a column, both from 1; columns count Unicode scalars.
private struct TextPosition {
  private(set) var line = 1
  private(set) var column = 1
  private var offset = 0

  /// Moves on to a byte; all of them together look at every byte once.
  mutating func advance(to end: Int, in text: [UInt8]) {
    while offset < min(end, text.count) {
      let byte = text[offset]
      offset += 1
      let endsLine = byte == 0x0A || (byte == 0x0D && (offset == text.count || text[offset] != 0x0A))
      if endsLine {
        line += 1
        column = 1
      } else if byte & 0xC0 != 0x80 {
        column += 1
      }
    }
  }
}
