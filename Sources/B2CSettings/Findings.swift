/// A value of a settings file together with its place.
struct Node {
  indirect enum Value {
    case string(String)
    case bool(Bool)
    case integer(Int64)
    case real(Double)
    case null
    case array([Node])
    case dictionary([Member])
    /// A type that no setting has, by its name.
    case other(String)
    /// Already reported.
    case unreadable
  }

  /// A key and its value; a list of them keeps the order and repeated keys.
  struct Member {
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
  private var parts: [String] = []

  init() {}

  init(_ key: SettingsKey) {
    parts = [key.rawValue]
  }

  var description: String { parts.joined() }

  /// The key of the file that the path begins with.
  var key: SettingsKey? { parts.first.flatMap(SettingsKey.init(rawValue:)) }

  mutating func push(key: String) {
    parts.append((parts.isEmpty ? "" : ".") + (Shown.value(key) ?? "…"))
  }

  mutating func push(index: Int) {
    parts.append("[\(index)]")
  }

  mutating func pop() {
    if !parts.isEmpty { parts.removeLast() }
  }

  func appending(key: String) -> SettingsPath {
    var copy = self
    copy.push(key: key)
    return copy
  }

  func appending(index: Int) -> SettingsPath {
    var copy = self
    copy.push(index: index)
    return copy
  }
}

/// The problems found so far, with offsets that become lines at the end.
struct Findings {
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
  mutating func add(
    _ kind: SettingsProblem.Kind, _ message: String, at path: SettingsPath = SettingsPath(),
    severity: SettingsProblem.Severity = .error, value: String? = nil, suggestion: String? = nil,
    recovery: String? = nil, offset: Int?
  ) {
    let isSafe = suggestion.map { !Shown.hasQuery($0) } ?? true
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

  /// Returns errors and warnings with lines and columns, in the order of the file.
  func located(in text: SourceText?) -> (errors: [SettingsProblem], warnings: [SettingsProblem]) {
    (Self.located(errors, in: text), Self.located(warnings, in: text))
  }

  private static func located(_ findings: [Finding], in text: SourceText?) -> [SettingsProblem] {
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

/// Values as messages may show them.
enum Shown {
  private static let limit = 100

  /// Returns a value without control characters, cut to 100 characters and without a URL's query.
  ///
  /// Returns `nil` for what looks like a token or may be a URL with a password.
  static func value(_ text: String) -> String? {
    // Every JSON Web Token begins with these letters, the base64url form of `{"`.
    guard !text.contains("eyJ"), !(text.contains("@") && text.contains("://")) else { return nil }
    var shown = ""
    var count = 0
    for scalar in text.unicodeScalars {
      guard count < limit else { return shown + "…" }
      shown.unicodeScalars.append(isHarmless(scalar) ? scalar : "\u{FFFD}")
      count += 1
      // An API's URL may carry a key in its query.
      if scalar == "?", hasQuery(text) { return shown + "…" }
    }
    return shown
  }

  /// Returns whether a text may be a URL with a query other than a policy.
  static func hasQuery(_ text: String) -> Bool {
    guard let mark = text.firstIndex(of: "?") else { return false }
    return (text[..<mark].contains(":") || text[..<mark].contains("/")) && !text[mark...].lowercased().hasPrefix("?p=")
  }

  private static func isHarmless(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned, .surrogate: false
    default: true
    }
  }
}

/// The text of a file as UTF-8 bytes, with the line and the column of each offset.
struct SourceText {
  let bytes: [UInt8]
  private let lineStarts: [Int]

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    var starts = [0]
    for index in bytes.indices {
      let isCarriageReturn = bytes[index] == 0x0D && (index + 1 == bytes.count || bytes[index + 1] != 0x0A)
      if bytes[index] == 0x0A || isCarriageReturn { starts.append(index + 1) }
    }
    lineStarts = starts
  }

  /// Returns line and column of a byte, both from 1; columns count Unicode scalars.
  func position(at offset: Int) -> (line: Int, column: Int) {
    let offset = min(max(offset, 0), bytes.count)
    var low = 0
    var high = lineStarts.count
    while high - low > 1 {
      let middle = (low + high) / 2
      if lineStarts[middle] <= offset { low = middle } else { high = middle }
    }
    let isStart = { (byte: UInt8) in byte & 0xC0 != 0x80 }
    return (low + 1, bytes[lineStarts[low]..<offset].count(where: isStart) + 1)
  }
}
