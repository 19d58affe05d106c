import B2CSettings
import Foundation
import Testing

/// Files that are nearly where they should be.
@Suite final class ConnectorSettingsNamesTests {
  private let directory = FileManager.default.temporaryDirectory.appendingPathComponent(
    "names-\(UUID().uuidString).bundle")

  init() throws {
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
  }

  deinit {
    try? FileManager.default.removeItem(at: directory)
  }

  private func problem(of file: String) throws -> SettingsProblem {
    try #require(failure(of: directory.appendingPathComponent(file))?.problems.first)
  }

  @Test(
    "The error of a missing file names the file in its directory with nearly the same name",
    arguments: [
      ("settings.plist", "settings.plist.txt"), ("settings.plist", "settings.plist.plist"),
      ("settings.plist", "settings"), ("settings.plist", "setings.plist"), ("settings.plist", "Setting.plist"),
      ("settings.plist", "settings.xml"), ("contoso-dev.plist", "contoso_dev.plist"),
      ("settings", "settings.plist"),
    ])
  func near(_ wanted: String, _ there: String) throws {
    for name in [there, "Info.plist", "notes.txt", "strings.plist", "settings.swift"] {
      try Data().write(to: directory.appendingPathComponent(name))
    }
    let file = try problem(of: wanted)
    #expect(file.message.contains("does not exist"), "\(file)")
    #expect(file.recoverySuggestion?.contains("\"\(there)\"") == true, "\(file)")
  }

  #if os(Linux)
    @Test("A name in another case is another file here", arguments: ["Settings.plist", "settings.PLIST", "SETTINGS"])
    func otherCase(_ there: String) throws {
      try Data().write(to: directory.appendingPathComponent(there))
      let file = try problem(of: "settings.plist")
      #expect(file.recoverySuggestion?.contains("\"\(there)\"") == true, "\(file)")
    }
  #endif

  @Test(
    "The error of a missing resource names the resource with nearly the same name",
    arguments: ["settings.plist.txt", "setting.plist", "settings.xml"])
  func resource(_ there: String) throws {
    try Data().write(to: directory.appendingPathComponent(there))
    let bundle = try #require(Bundle(url: directory))
    let missing = try #require(failure { try ConnectorSettings(bundle: bundle) }?.problems.first)
    #expect(missing.message.contains("has no such resource"), "\(missing)")
    #expect(missing.recoverySuggestion?.contains("\"\(there)\"") == true, "\(missing)")
  }

  @Test("A directory is not offered, and nothing in place of one")
  func directories() throws {
    for name in ["settings.plist", "settigs.plist"] {
      try FileManager.default.createDirectory(
        at: directory.appendingPathComponent(name), withIntermediateDirectories: true)
    }
    for name in ["settings.plist", "setings.plist"] {
      let file = try problem(of: name)
      #expect(file.recoverySuggestion?.contains("in its place") == false, "\(file)")
    }
  }
}
