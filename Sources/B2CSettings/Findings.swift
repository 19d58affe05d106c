import B2CCore

/// A fault in the form of a file, after which nothing more can be read.
struct DocumentFault: Error {
  var kind = SettingsProblem.Kind.malformed
  let message: String
  /// In bytes of the UTF-8 text; `nil` for a fault without a place.
  var offset: Int?
  let recovery: String
}

/// A value of a settings file together with its place.
struct Node {
  indirect enum Value {
    case string(String)
    case bool(Bool)
    case integer(Int64)
    case real(Double)
    case null
    case array([Node])
    case dictionary([Field])
    /// A type that no setting has, by its name.
    case other(String)
    /// Already reported.
    case unreadable
  }

  /// A key and its value; a list of them keeps the order and repeated keys.
  struct Field {
    var key: String
    var keyOffset: Int?
    var node: Node
  }

  var value: Value
  /// Where the value begins, in bytes of the UTF-8 text; `nil` in a binary file.
  var offset: Int?

  /// The name of the type, for messages.
  var typeName: String {
    switch value {
    case .string: "a string"
    case .bool: "a Boolean"
    case .integer: "an integer"
    case .real: "a number"
    case .null: "null"
    case .array: "an array"
    case .dictionary: "a dictionary"
    case .other(let name): name
    case .unreadable: "unreadable"
    }
  }

  /// The value of a scalar as a string, for messages.
  var scalarText: String? {
    switch value {
    case .string(let text): text
    case .bool(let flag): flag ? "true" : "false"
    case .integer(let number): String(number)
    case .real(let number): String(number)
    default: nil
    }
  }
}

/// The path to a value: `policies.signIn.id`, `scopes[0]`.
struct SettingsPath: CustomStringConvertible {
  private(set) var description = ""
  /// The key of the file that the path begins with.
  private(set) var key: SettingsKey?

  init() {}

  init(_ key: SettingsKey) {
    description = key.rawValue
    self.key = key
  }

  func appending(key name: String) -> SettingsPath {
    var copy = self
    if description.isEmpty { copy.key = SettingsKey(rawValue: name) } else { copy.description += "." }
    copy.description += Shown.value(name) ?? "…"
    return copy
  }

  func appending(index: Int) -> SettingsPath {
    var copy = self
    copy.description += "[\(index)]"
    return copy
  }
}

/// The problems found so far, with offsets that become lines at the end; the readers of a file share it.
final class Findings {
  private struct Finding {
    var problem: SettingsProblem
    var offset: Int?
    /// The key's place in the table of keys, for files without lines.
    var rank: Int
  }

  // Further ones would be of the same kind.
  private static let limit = 100

  private var errors: [Finding] = []
  private var warnings: [Finding] = []

  var hasErrors: Bool { !errors.isEmpty }

  /// Adds a problem.
  ///
  /// A value is shown only as far as it cannot be secret; where it cannot be shown whole, neither can its correction.
  func add(
    _ kind: SettingsProblem.Kind, _ message: String, at path: SettingsPath = SettingsPath(),
    severity: SettingsProblem.Severity = .error, value: String? = nil, suggestion: String? = nil,
    recovery: String? = nil, offset: Int?
  ) {
    let isSafe = suggestion.map { Shown.queryStart($0) == nil } ?? true
    let problem = SettingsProblem(
      keyPath: path.description, kind: kind, severity: severity, value: value.flatMap(Shown.value), message: message,
      suggestion: isSafe ? suggestion : nil,
      recoverySuggestion: recovery ?? (isSafe ? nil : path.key?.recovery(isGeneric: false)))
    let rank = path.key.flatMap(SettingsKey.allCases.firstIndex) ?? SettingsKey.allCases.count
    let finding = Finding(problem: problem, offset: offset, rank: rank)
    if severity == .warning {
      if warnings.count < Self.limit { warnings.append(finding) }
    } else {
      if errors.count < Self.limit { errors.append(finding) }
    }
  }

  func add(_ fault: DocumentFault, at path: SettingsPath = SettingsPath()) {
    add(fault.kind, fault.message, at: path, recovery: fault.recovery, offset: fault.offset)
  }

  /// Returns errors and warnings in the order of the file, with lines and columns where it is a text.
  func located(in text: [UInt8]?) -> (errors: [SettingsProblem], warnings: [SettingsProblem]) {
    (Self.located(errors, in: text ?? []), Self.located(warnings, in: text ?? []))
  }

  private static func located(_ findings: [Finding], in text: [UInt8]) -> [SettingsProblem] {
    let ordered = findings.enumerated().sorted { left, right in
      (left.element.offset ?? .max, left.element.rank, left.offset)
        < (right.element.offset ?? .max, right.element.rank, right.offset)
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

/// Values as messages may show them.
enum Shown {
  private static let limit = 100

  /// Returns a value on one line, cut to 100 characters and without a URL's query.
  ///
  /// Returns `nil` for what looks like a token or may be a URL with a password.
  static func value(_ text: String) -> String? {
    // Every JSON Web Token begins with these letters, the base64url form of `{"`.
    guard !text.contains("eyJ"), !(text.contains("@") && text.contains("://")) else { return nil }
    let start = queryStart(text)
    let shown = PrintableText.plain(start.map { String(text[...$0]) } ?? text, limit: limit + 1)
    return shown.count > limit || start != nil ? shown.prefix(limit) + "…" : shown
  }

  /// Returns the place of the `?` of a URL's query, which may hold a key; `nil` without one, or for a policy's.
  static func queryStart(_ text: String) -> String.Index? {
    guard let mark = text.firstIndex(of: "?"), text[..<mark].contains(where: { $0 == ":" || $0 == "/" }),
      !text[mark...].lowercased().hasPrefix("?p=")
    else { return nil }
    return mark
  }
}
