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

  private func problem(_ body: () throws -> ConnectorSettings) throws -> SettingsProblem {
    let error = try #require(throws: SettingsError.self) { _ = try body() }
    return try #require(error.problems.first)
  }

  @Test(
    "A file that is missing is answered with the one beside it that has nearly its name",
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
    let file = try problem { try ConnectorSettings(contentsOf: directory.appendingPathComponent(wanted)) }
    #expect(file.message.contains("does not exist"), "\(file)")
    #expect(file.recoverySuggestion?.contains("\"\(there)\"") == true, "\(file)")
  }

  #if os(Linux)
    @Test("A name in another case is another file here", arguments: ["Settings.plist", "settings.PLIST", "SETTINGS"])
    func otherCase(_ there: String) throws {
      try Data().write(to: directory.appendingPathComponent(there))
      let file = try problem { try ConnectorSettings(contentsOf: directory.appendingPathComponent("settings.plist")) }
      #expect(file.recoverySuggestion?.contains("\"\(there)\"") == true, "\(file)")
    }
  #endif

  @Test("So is a resource of a bundle", arguments: ["settings.plist.txt", "setting.plist", "settings.xml"])
  func resource(_ there: String) throws {
    try Data().write(to: directory.appendingPathComponent(there))
    let bundle = try #require(Bundle(url: directory))
    let missing = try problem { try ConnectorSettings(bundle: bundle) }
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
      let file = try problem { try ConnectorSettings(contentsOf: directory.appendingPathComponent(name)) }
      #expect(file.recoverySuggestion?.contains("in its place") == false, "\(file)")
    }
  }
}
