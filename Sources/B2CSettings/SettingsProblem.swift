/// One thing that is wrong, or worth mending, in a settings file: where, what, why, and what to write instead.
public struct SettingsProblem: Sendable, Hashable {
  /// How much a problem matters.
  public enum Severity: String, Sendable, Hashable {
    /// The settings cannot be used.
    case error
    /// The settings can be used and should be mended.
    case warning
  }

  /// The key, with the way to it where it is nested: `clientId`, `scopes[0]`, `policies.signIn.id`.
  ///
  /// Empty when the problem is the file's as a whole.
  public var keyPath: String
  /// What is wrong.
  public var kind: Kind
  /// Whether the settings can be used all the same.
  public var severity: Severity
  /// The value as the file has it, cut after 100 characters; `nil` when there is none or it may be a secret.
  public var value: String?
  /// What is wrong, in a sentence.
  public var message: String
  /// The exact value to write instead, where it is known.
  public var correctedValue: String?
  /// What to do, in a sentence.
  public var advice: String?
  /// The line in the file, from 1, where it is known.
  public var line: Int?
  /// The column in the line, in characters from 1, where it is known.
  public var column: Int?

  /// Makes a problem.
  ///
  /// - Parameters:
  ///   - keyPath: The key, with the way to it; empty for the whole file.
  ///   - kind: What is wrong.
  ///   - severity: Whether the settings can be used all the same.
  ///   - value: The value, if it may be shown.
  ///   - message: What is wrong, in a sentence.
  ///   - correctedValue: The exact value to write instead.
  ///   - advice: What to do, in a sentence.
  ///   - line: The line in the file, from 1.
  ///   - column: The column in the line, from 1.
  public init(
    keyPath: String, kind: Kind, severity: Severity = .error, value: String? = nil, message: String,
    correctedValue: String? = nil, advice: String? = nil, line: Int? = nil, column: Int? = nil
  ) {
    self.keyPath = keyPath
    self.kind = kind
    self.severity = severity
    self.value = value
    self.message = message
    self.correctedValue = correctedValue
    self.advice = advice
    self.line = line
    self.column = column
  }

  /// The corrected value where it is known, otherwise what to do.
  public var suggestion: String? { correctedValue ?? advice }
}

extension SettingsProblem: CustomStringConvertible {
  /// One line: place, key, what is wrong, and what to write or to do.
  public var description: String {
    var text = line.map { "line \($0): " } ?? ""
    if !keyPath.isEmpty { text += keyPath + ": " }
    text += message
    if let value { text += " It is \"\(value)\"." }
    if let advice { text += " " + advice }
    if let correctedValue { text += " Write \"\(correctedValue)\"." }
    return text
  }
}
