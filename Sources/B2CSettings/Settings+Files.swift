public import Foundation

extension Settings {
  /// The settings of the running app: `settings.plist` (or `settings.json`) of its main bundle.
  ///
  /// The file is read each time; keep the value.
  ///
  /// - Throws: ``SettingsError`` with everything that is wrong.
  public static var main: Settings {
    get throws { try Settings(bundle: .main) }
  }

  /// Reads a file: a property list (XML or binary) or JSON.
  ///
  /// - Parameter file: The file's URL.
  /// - Throws: ``SettingsError`` with everything that is wrong: ``SettingsProblem/Kind/fileNotFound``,
  ///   ``SettingsProblem/Kind/fileUnreadable``, or what ``init(data:file:)`` finds.
  public init(contentsOf file: URL) throws {
    try self.init(data: try SettingsFile.read(file), file: file.path)
  }

  /// Reads a resource of a bundle: `<resource>.plist`, or `<resource>.json` where there is no such.
  ///
  /// - Parameters:
  ///   - bundle: The bundle.
  ///   - resource: The resource's name without its ending.
  /// - Throws: ``SettingsError`` with everything that is wrong: ``SettingsProblem/Kind/fileNotFound``,
  ///   ``SettingsProblem/Kind/fileUnreadable``, or what ``init(data:file:)`` finds.
  public init(bundle: Bundle, resource: String = "settings") throws {
    let found = ["plist", "json"].lazy.compactMap { bundle.url(forResource: resource, withExtension: $0) }.first
    guard let found else {
      throw SettingsFile.error(
        .fileNotFound, file: resource + ".plist", "The bundle at \(bundle.bundlePath) has no such resource.",
        advice: "Add the file to the app's target, or read it from elsewhere with Settings(contentsOf:).")
    }
    try self.init(contentsOf: found)
  }

  /// Reads a file's bytes: a property list (XML or binary; UTF-8 or UTF-16) or JSON.
  ///
  /// - Parameters:
  ///   - data: The bytes, at most 64 KiB.
  ///   - file: The name to use in messages.
  /// - Throws: ``SettingsError`` with everything that is wrong. The kinds are those of ``SettingsProblem/Kind``, but for
  ///   ``SettingsProblem/Kind/fileNotFound`` and ``SettingsProblem/Kind/fileUnreadable``.
  public init(data: Data, file: String? = nil) throws {
    var findings = Findings()
    let document = SettingsDocument([UInt8](data.prefix(Limits.bytes + 1)), findings: &findings)
    var settings: Settings?
    if let members = document.members {
      var reader = SettingsReader(members, isComplete: document.isComplete, findings: findings)
      settings = reader.read()
      findings = reader.findings
    }
    let warnings = Findings.located(findings.warnings, in: document.text)
    guard var settings, !findings.hasErrors else {
      throw SettingsError(
        file: file, problems: Findings.located(findings.errors, in: document.text), warnings: warnings)
    }
    settings.warnings = warnings
    self = settings
  }
}
