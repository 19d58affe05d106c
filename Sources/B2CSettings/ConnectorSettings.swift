@_exported public import B2CAuthority
internal import B2CCore
public import Foundation

/// The settings of an app: its tenant, registration and API, as in `settings.plist`.
///
/// Read from a file, from data or from a bundle, or made in code. Two settings are equal when they mean the same;
/// ``warnings`` are not compared.
public struct ConnectorSettings: Sendable {
  /// The authority (`authority` and `authorityKind`).
  public var authority: Authority
  /// The application (client) ID of the app's registration (`clientId`).
  public var clientID: String
  /// The scopes of the API that is called (`scopes`), as written.
  public var scopes: [String]
  /// Further scopes to ask consent for (`additionalScopes`), as written.
  public var additionalScopes: [String] = []
  /// The redirect URI (`redirectUri`); the server compares it character by character.
  public var redirectURI: URL
  /// The URL of the list of tasks (`taskWebAPI`), if there is one.
  public var taskWebAPI: URL?
  /// The policies (`emailSignUpPolicyId`, `faceBookSignInPolicyId`, `emailSignInPolicyId`, `policies`, `policyID`).
  public var policies = Policies()
  /// Whether the page is to cover the screen (`fullScreen`).
  public var fullScreen = false
  /// Whether the app shows the user's claims (`showClaims`).
  public var showClaims = false
  /// The id to send with every request (`correlationId`).
  public var correlationID: UUID?
  /// The only user who may sign in (`userId`): an email, user name or object id.
  public var userID: String?
  /// The warnings of the file, in its order; empty for settings made in code.
  public internal(set) var warnings: [SettingsProblem] = []

  /// Creates settings in code.
  ///
  /// Nothing is checked except by the types; ``validate()`` checks as reading a file does.
  ///
  /// - Parameters:
  ///   - authority: The authority.
  ///   - clientID: The application (client) ID of the app's registration.
  ///   - scopes: The scopes of the API that is called.
  ///   - redirectURI: The redirect URI.
  ///   - taskWebAPI: The URL of the list of tasks.
  ///   - policies: The policies.
  public init(
    authority: Authority, clientID: String, scopes: [String], redirectURI: URL, taskWebAPI: URL? = nil,
    policies: Policies = Policies()
  ) {
    self.authority = authority
    self.clientID = clientID
    self.scopes = scopes
    self.redirectURI = redirectURI
    self.taskWebAPI = taskWebAPI
    self.policies = policies
  }
}

extension ConnectorSettings {
  /// The settings of the running app: `settings.plist` of its main bundle.
  ///
  /// The file is read each time; keep the value.
  ///
  /// - Throws: ``SettingsError`` with all problems.
  public static var main: ConnectorSettings {
    get throws(SettingsError) { try ConnectorSettings(bundle: .main) }
  }

  /// Reads a file: a property list in XML, on Apple's systems also a binary one.
  ///
  /// - Parameter file: The file's URL.
  /// - Throws: ``SettingsError`` with all problems: a file that is missing or cannot be read, or those of
  ///   ``init(data:file:)``.
  public init(contentsOf file: URL) throws(SettingsError) {
    try self.init(data: try SettingsFile.read(file), file: file.path)
  }

  /// Reads a resource of a bundle: `<resource>.plist`.
  ///
  /// - Parameters:
  ///   - bundle: The bundle.
  ///   - resource: The resource's name without its extension.
  /// - Throws: ``SettingsError`` with all problems: a file that is missing or cannot be read, or those of
  ///   ``init(data:file:)``.
  public init(bundle: Bundle, resource: String = "settings") throws(SettingsError) {
    guard let found = bundle.url(forResource: resource, withExtension: "plist") else {
      throw SettingsFile.error(
        .fileNotFound, file: resource + ".plist", "The bundle at \(bundle.bundlePath) has no such resource.",
        recovery:
          "Add the file to the app's target, or put it beside the program, or use ConnectorSettings(contentsOf:).")
    }
    try self.init(contentsOf: found)
  }

  /// Reads a file's bytes: a property list in XML (UTF-8), on Apple's systems also a binary one.
  ///
  /// - Parameters:
  ///   - data: The bytes, at most 64 KiB.
  ///   - file: The name to use in messages.
  /// - Throws: ``SettingsError`` with all problems of the content.
  public init(data: Data, file: String? = nil) throws(SettingsError) {
    let findings = Findings()
    let document = SettingsDocument([UInt8](data.prefix(SettingsDocument.maximumSize + 1)), findings: findings)
    try self.init(fields: document.fields, isComplete: document.isComplete, findings: findings, file: file)
  }

  /// Reads the values of settings made in code.
  init(values: [String: Any]) throws(SettingsError) {
    let findings = Findings()
    let fields: [Node.Field]? =
      if case .dictionary(let fields) = Node(values, at: SettingsPath(), findings: findings) { fields } else { nil }
    try self.init(fields: fields, isComplete: true, findings: findings, file: nil)
  }

  private init(fields: [Node.Field]?, isComplete: Bool, findings: Findings, file: String?) throws(SettingsError) {
    var reader = fields.map { SettingsReader($0, isComplete: isComplete, findings: findings) }
    let settings = reader?.read()
    let (errors, warnings) = findings.located()
    guard let settings, errors.isEmpty else { throw SettingsError(file: file, problems: errors, warnings: warnings) }
    self = settings
    self.warnings = warnings
  }
}

extension ConnectorSettings: Equatable {
  /// Compares everything except the warnings.
  ///
  /// - Parameters:
  ///   - left: Some settings.
  ///   - right: Others.
  /// - Returns: Whether both mean the same.
  public static func == (left: ConnectorSettings, right: ConnectorSettings) -> Bool {
    left.authority == right.authority && left.clientID == right.clientID && left.scopes == right.scopes
      && left.additionalScopes == right.additionalScopes
      && left.redirectURI == right.redirectURI
      && left.taskWebAPI == right.taskWebAPI && left.policies == right.policies && left.fullScreen == right.fullScreen
      && left.showClaims == right.showClaims && left.correlationID == right.correlationID && left.userID == right.userID
  }
}

/// Reads the bytes of a settings file.
enum SettingsFile {
  /// Returns the file's content, at most one byte more than the limit.
  static func read(_ file: URL) throws(SettingsError) -> Data {
    guard file.isFileURL else {
      throw error(
        .fileUnreadable, file: file.scheme ?? "", "The URL is not that of a file.", recovery: "Use a file URL.")
    }
    // A named pipe would never end, and a device never be empty.
    let target = file.resolvingSymlinksInPath()
    guard let attributes = try? FileManager.default.attributesOfItem(atPath: target.path) else {
      throw error(
        .fileNotFound, file: file.path, "The file does not exist.",
        recovery: "Check the path, or add the file to the app's target.")
    }
    guard attributes[.type] as? FileAttributeType == .typeRegular else {
      throw error(
        .fileUnreadable, file: file.path, "It is not a regular file.", recovery: "Use the path of the settings file.")
    }
    do {
      let handle = try FileHandle(forReadingFrom: target)
      defer { try? handle.close() }
      return try handle.read(upToCount: SettingsDocument.maximumSize + 1) ?? Data()
    } catch {
      throw Self.error(
        .fileUnreadable, file: file.path, "The file cannot be read.", recovery: "Check its permissions.")
    }
  }

  static func error(
    _ kind: SettingsProblem.Kind, file: String, _ message: String, recovery: String
  ) -> SettingsError {
    SettingsError(file: file, problems: [SettingsProblem(kind: kind, message: message, recoverySuggestion: recovery)])
  }
}
