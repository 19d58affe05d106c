internal import B2CCore
public import Foundation

/// The error of a settings file: all its problems at once.
public struct SettingsError: Error, Sendable, Equatable {
  /// The path or name of the file, where there is one.
  public let file: String?
  /// The problems in the order of the guide's table of keys; those of the file's form in the order of its lines.
  public let problems: [SettingsProblem]
  /// The warnings.
  public let warnings: [SettingsProblem]

  /// The most problems, and warnings, that are told.
  static let limit = 100

  package init(file: String?, problems: [SettingsProblem], warnings: [SettingsProblem] = []) {
    self.file = file
    self.problems = Array(problems.prefix(Self.limit))
    self.warnings = Array(warnings.prefix(Self.limit))
  }
}

extension SettingsError: CustomStringConvertible {
  /// A headline, then one line for each problem and warning.
  public var description: String {
    (["\(file ?? "The settings") cannot be used:"] + problems.map { "  \($0)" } + warnings.map { "  warning: \($0)" })
      .joined(separator: "\n")
  }
}

extension SettingsError: LocalizedError {
  /// The same text as the description.
  public var errorDescription: String? { description }
}

/// A problem or warning of a settings file: key, cause and fix.
public struct SettingsProblem: Sendable, Equatable {
  /// The key with its path, such as `clientId`, `scopes[0]`, `policies.signIn.id`.
  ///
  /// Empty when the problem concerns the whole file.
  public let keyPath: String
  /// The fault, in a sentence.
  public let message: String
  /// The value in the file, cut after 100 characters.
  ///
  /// `nil` when there is none or it may be secret; a URL has no query here.
  package let value: String?
  /// The exact value to write instead, where it is known.
  public let suggestion: String?
  /// How to fix it, in a sentence.
  public let recoverySuggestion: String?

  /// Makes a problem; a value is shown only as far as it cannot be secret, and a correction only where it has no query.
  ///
  /// `otherwise` is how to fix it where neither a correction nor a sentence tells.
  package init(
    _ message: String, at keyPath: String = "", value: String? = nil, suggestion: String? = nil,
    recoverySuggestion: String? = nil, otherwise: String? = nil
  ) {
    self.keyPath = keyPath
    self.message = message
    self.value = value.flatMap(Self.shown)
    self.suggestion = suggestion.flatMap { Self.queryStart($0) == nil ? $0 : nil }
    self.recoverySuggestion = recoverySuggestion ?? (self.suggestion == nil ? otherwise : nil)
  }

  /// Returns a value on one line, cut to 100 characters and without a URL's query.
  ///
  /// Returns `nil` for what looks like a token or may have a password in front of an `@`.
  static func shown(_ text: String) -> String? {
    // Every JSON Web Token begins with these letters, the base64url form of `{"`.
    guard !text.contains("eyJ"), !text.contains("@") else { return nil }
    let start = queryStart(text)
    let shown = PrintableText.plain(start.map { String(text[...$0]) } ?? text, limit: 101)
    return shown.count > 100 || start != nil ? shown.prefix(100) + "…" : shown
  }

  private static let policyQuery = Pattern(/\?[pP]=[^&#]*/)

  /// Returns the place of a URL's query or fragment, which may hold a key; `nil` without one, or for a policy's query.
  static func queryStart(_ text: String) -> String.Index? {
    guard let mark = text.firstIndex(where: { "?#".contains($0) }),
      text[mark...].wholeMatch(of: policyQuery) == nil
    else { return nil }
    return mark
  }
}

extension SettingsProblem: CustomStringConvertible {
  /// A line with the key, the cause, and how to fix it.
  public var description: String {
    var text = (keyPath.isEmpty ? "" : keyPath + ": ") + message
    if let value { text += " It is \"\(value)\"." }
    return text + (advice.map { " " + $0 } ?? "")
  }

  /// The recovery suggestion and the value to write.
  package var advice: String? {
    let parts = [recoverySuggestion, suggestion.map { "Write \"\($0)\"." }].compactMap(\.self)
    return parts.isEmpty ? nil : parts.joined(separator: " ")
  }
}
