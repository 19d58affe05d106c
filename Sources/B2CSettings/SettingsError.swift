internal import B2CCore
public import Foundation

/// The error of a settings file, which contains all its problems.
public struct SettingsError: Error, Sendable, Equatable {
  /// The path or name of the file, or `nil` if it has none.
  public let file: String?
  /// The problems in the order in which the guide lists the keys, or of its lines if it cannot be parsed.
  public let problems: [SettingsProblem]
  /// The warnings about the file.
  public let warnings: [SettingsProblem]

  /// The largest number of problems, and of warnings, that an error contains.
  static let limit = 100

  package init(file: String?, problems: [SettingsProblem], warnings: [SettingsProblem] = []) {
    self.file = file
    self.problems = Array(problems.prefix(Self.limit))
    self.warnings = Array(warnings.prefix(Self.limit))
  }
}

extension SettingsError: CustomStringConvertible {
  /// A headline, and one line for each problem and warning.
  public var description: String {
    (["\(file ?? "The settings") cannot be used:"] + problems.map { "  \($0)" } + warnings.map { "  warning: \($0)" })
      .joined(separator: "\n")
  }
}

extension SettingsError: LocalizedError {
  /// The same text as the description.
  public var errorDescription: String? { description }
}

/// A problem or warning about a settings file, with its key, its cause and how to fix it.
public struct SettingsProblem: Sendable, Equatable {
  /// The path of the key, for example `clientId`, `scopes[0]` or `policies.signIn.id`.
  ///
  /// It is empty if the problem concerns the whole file.
  public let keyPath: String
  /// A sentence about what is wrong.
  public let message: String
  /// The value in the file, cut after 100 characters.
  ///
  /// It is `nil` if there is no value or if it may be secret. A URL is shown without its query.
  package let value: String?
  /// The exact value to write instead, if it is known.
  public let suggestion: String?
  /// A sentence about how to fix the problem.
  public let recoverySuggestion: String?

  /// Creates a problem, which shows the value only if it cannot be secret, and the suggestion only if it is no URL with a
  /// query, because a query may contain a secret.
  ///
  /// `otherwise` says how to fix the problem if there is neither a correction nor a recovery suggestion.
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
  /// The result is `nil` if the value looks like a token, or if a password may precede an `@`.
  static func shown(_ text: String) -> String? {
    // Every JSON Web Token begins with these letters, because they are `{"` in base64url.
    guard !text.contains("eyJ"), !text.contains("@") else { return nil }
    let start = queryStart(text)
    let shown = PrintableText.plain(start.map { String(text[...$0]) } ?? text, limit: 101)
    return shown.count > 100 || start != nil ? shown.prefix(100) + "…" : shown
  }

  private static let policyQuery = Pattern(/\?[pP]=[^&#]*/)

  /// Returns the position of a URL's query or fragment, which may contain a key, unless the query only names a policy.
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
