import B2CSettings
import Foundation
import Testing

/// A closure in a `catch` with a cast ends the Swift 6.3.1 compiler if the call throws a typed error: it is enough that
/// this file compiles.
@Suite struct ConnectorSettingsThrowsTests {
  private func paths(_ read: String) -> [String] {
    do {
      switch read {
      case "data": print(try ConnectorSettings(data: Data()))
      case "file": print(try ConnectorSettings(contentsOf: URL(fileURLWithPath: "/none.plist")))
      case "bundle": print(try ConnectorSettings(bundle: .main, resource: "none"))
      case "main": print(try ConnectorSettings.main)
      default:
        var settings = try Samples.settings()
        settings.clientID = "x"
        try settings.validate()
      }
    } catch let error as SettingsError {
      return error.problems.map { "\($0.keyPath)" }
    } catch {
      return ["another error"]
    }
    return []
  }

  @Test(
    "Every error of reading and of checking settings is caught by a cast",
    arguments: [("data", ""), ("file", ""), ("bundle", ""), ("main", ""), ("validate", "clientId")])
  func caught(_ read: String, _ path: String) { #expect(paths(read) == [path]) }
}
