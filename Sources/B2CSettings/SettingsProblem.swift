internal import Foundation

/// A problem or warning of a settings file: place, cause and fix.
public struct SettingsProblem: Sendable, Equatable {
  /// Whether the settings can be used despite a problem.
  package enum Severity: Sendable {
    case error
    case warning
  }

  /// The key with its path, such as `clientId`, `scopes[0]`, `policies.signIn.id`.
  ///
  /// Empty when the problem concerns the whole file.
  public let keyPath: String
  package let kind: Kind
  package let severity: Severity
  /// The value in the file, cut after 100 characters.
  ///
  /// `nil` when there is none or it may be secret; a URL has no query here.
  package let value: String?
  /// The fault, in a sentence.
  public let message: String
  /// The exact value to write instead, where it is known.
  public let suggestion: String?
  /// How to fix it, in a sentence.
  public let recoverySuggestion: String?
  /// The line in the file, from 1, where it is known.
  public internal(set) var line: Int?
  /// The column in the line, in characters from 1, where it is known.
  package internal(set) var column: Int?

  package init(
    keyPath: String = "", kind: Kind, severity: Severity = .error, value: String? = nil, message: String,
    suggestion: String? = nil, recoverySuggestion: String? = nil
  ) {
    self.keyPath = keyPath
    self.kind = kind
    self.severity = severity
    self.value = value
    self.message = message
    self.suggestion = suggestion
    self.recoverySuggestion = recoverySuggestion
  }
}

extension SettingsProblem: CustomStringConvertible {
  /// One line: place, key, cause, and how to fix it.
  public var description: String {
    var text = line.map { "line \($0): " } ?? ""
    if !keyPath.isEmpty { text += keyPath + ": " }
    text += message
    if let value { text += " It is \"\(value)\"." }
    if let recoverySuggestion { text += " " + recoverySuggestion }
    if let suggestion { text += " Write \"\(suggestion)\"." }
    return text
  }
}

extension SettingsProblem {
  /// The kind of a problem: a stable name, by which the package tells its problems apart.
  package struct Kind: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    package let rawValue: String

    package init(rawValue: String) {
      self.rawValue = rawValue
    }

    package var description: String { rawValue }
  }
}

// MARK: - The file as a whole

extension SettingsProblem.Kind {
  package static let fileNotFound = Self(rawValue: "fileNotFound")
  /// The file cannot be read, or is not a regular file.
  package static let fileUnreadable = Self(rawValue: "fileUnreadable")
  /// The file is larger than 64 KiB.
  package static let fileTooLarge = Self(rawValue: "fileTooLarge")
  package static let emptyFile = Self(rawValue: "emptyFile")
  /// The file is not a property list.
  package static let notAPropertyList = Self(rawValue: "notAPropertyList")
  /// The file breaks the rules of its format.
  package static let malformed = Self(rawValue: "malformed")
  /// The file is a binary property list, which this system does not read.
  package static let unsupportedFormat = Self(rawValue: "unsupportedFormat")
  /// The text is not UTF-8.
  package static let unsupportedEncoding = Self(rawValue: "unsupportedEncoding")
  /// The XML declares entities or rules.
  package static let documentTypeDefinition = Self(rawValue: "documentTypeDefinition")
  /// Arrays and dictionaries are nested more than 32 levels deep.
  package static let nestingTooDeep = Self(rawValue: "nestingTooDeep")
  /// The file contains more arrays and dictionaries than settings can have.
  package static let tooManyValues = Self(rawValue: "tooManyValues")
  /// The outermost value is not a dictionary.
  package static let notADictionary = Self(rawValue: "notADictionary")
}

// MARK: - Any key

extension SettingsProblem.Kind {
  package static let missingKey = Self(rawValue: "missingKey")
  package static let emptyValue = Self(rawValue: "emptyValue")
  /// A value has another type than its key requires.
  package static let wrongType = Self(rawValue: "wrongType")
  /// A value is still a template's placeholder.
  package static let placeholder = Self(rawValue: "placeholder")
  package static let quotedValue = Self(rawValue: "quotedValue")
  package static let controlCharacter = Self(rawValue: "controlCharacter")
  package static let duplicateKey = Self(rawValue: "duplicateKey")
  /// A key is unknown; perhaps another one was meant.
  package static let unknownKey = Self(rawValue: "unknownKey")
  /// A key that the tutorial's code read has no effect.
  package static let unusedKey = Self(rawValue: "unusedKey")
  /// A file that ships with an app contains a secret (RFC 8252 section 8.5).
  package static let clientSecret = Self(rawValue: "clientSecret")
}

// MARK: - Single keys

extension SettingsProblem.Kind {
  /// The authority is refused by ``Authority``.
  package static let invalidAuthority = Self(rawValue: "invalidAuthority")
  /// The authority's host no longer runs policies.
  package static let retiredAuthority = Self(rawValue: "retiredAuthority")
  package static let invalidClientID = Self(rawValue: "invalidClientID")
  /// A scope contains invalid characters (RFC 6749 section 3.3).
  package static let invalidScope = Self(rawValue: "invalidScope")
  /// No scope names an API, so no access token would be issued.
  package static let noAPIScope = Self(rawValue: "noAPIScope")
  /// No presenter can return from the redirect URI.
  package static let invalidRedirectURI = Self(rawValue: "invalidRedirectURI")
  /// The redirect URI is the out-of-band one, for pasting by hand only.
  package static let outOfBandRedirectURI = Self(rawValue: "outOfBandRedirectURI")
  /// The redirect URI is a public test page.
  package static let foreignRedirectURI = Self(rawValue: "foreignRedirectURI")
  /// The redirect URI's scheme has no dot (RFC 8252 section 7.1).
  package static let ambiguousRedirectScheme = Self(rawValue: "ambiguousRedirectScheme")
  /// The redirect URI has no slash after its scheme.
  package static let redirectURIWithoutSlash = Self(rawValue: "redirectURIWithoutSlash")
  /// A value is not a URL that can be called.
  package static let invalidURL = Self(rawValue: "invalidURL")
  package static let portInPath = Self(rawValue: "portInPath")
  /// A URL sends tokens over http to another machine.
  package static let insecureURL = Self(rawValue: "insecureURL")
  package static let userInfoInURL = Self(rawValue: "userInfoInURL")
  /// A policy is refused by ``Policy``.
  package static let invalidPolicy = Self(rawValue: "invalidPolicy")
  package static let duplicatePolicy = Self(rawValue: "duplicatePolicy")
  package static let unknownPolicyKind = Self(rawValue: "unknownPolicyKind")
  /// Policies are given for an authority without policies.
  package static let unexpectedPolicy = Self(rawValue: "unexpectedPolicy")
  package static let noPolicy = Self(rawValue: "noPolicy")
  package static let invalidCorrelationID = Self(rawValue: "invalidCorrelationID")
  /// Settings made in code contain a value that no file can hold.
  package static let notWritable = Self(rawValue: "notWritable")
}
