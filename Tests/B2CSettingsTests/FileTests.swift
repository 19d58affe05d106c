import B2CSettings
import Foundation
import Testing

@Suite("Files and bundles")
final class FileTests {
  private let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
    "settings-\(UUID().uuidString).bundle")

  init() throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  deinit {
    try? FileManager.default.removeItem(at: folder)
  }

  private func write(_ text: String, _ name: String) throws -> URL {
    let file = folder.appendingPathComponent(name)
    try Data(text.utf8).write(to: file)
    return file
  }

  private func failure(of file: URL) -> SettingsError? {
    do throws(SettingsError) {
      _ = try ConnectorSettings(contentsOf: file)
      return nil
    } catch {
      return error
    }
  }

  @Test("A file is read, and named in the error")
  func contents() throws {
    #expect(try ConnectorSettings(contentsOf: write(Samples.finished, "settings.plist")).showClaims)
    let file = try write(Samples.template, "template.plist")
    let error = try #require(failure(of: file))
    #expect(error.file == file.path)
    #expect("\(error)".hasPrefix("\(file.path): 7 problems, 1 warning\n"))
  }

  @Test("A link to a file is followed")
  func link() throws {
    let file = try write(Samples.finished, "real.plist")
    let link = folder.appendingPathComponent("link.plist")
    try FileManager.default.createSymbolicLink(at: link, withDestinationURL: file)
    #expect(try ConnectorSettings(contentsOf: link) == ConnectorSettings(contentsOf: file))
  }

  @Test("A file that is missing, no file, no file URL, or too large")
  func unreadable() throws {
    let missing = folder.appendingPathComponent("none.plist")
    #expect(failure(of: missing)?.problems.map(\.kind) == [.fileNotFound])
    #expect(failure(of: missing)?.file == missing.path)
    #expect(failure(of: folder)?.problems.map(\.kind) == [.fileUnreadable])
    #expect(failure(of: URL(fileURLWithPath: "/dev/zero"))?.problems.map(\.kind) == [.fileUnreadable])
    let web = try #require(URL(string: "https://contoso.com/settings.plist"))
    #expect(failure(of: web)?.problems.map(\.kind) == [.fileUnreadable])
    let large = try write(String(repeating: " ", count: 70_000), "large.plist")
    #expect(failure(of: large)?.problems.map(\.kind) == [.fileTooLarge])
  }

  @Test("A bundle's resource is read, as property list or JSON")
  func bundle() throws {
    _ = try write(Samples.finished, "settings.plist")
    _ = try write(String(decoding: Samples.json(), as: UTF8.self), "server.json")
    let bundle = try #require(Bundle(url: folder))
    #expect(try ConnectorSettings(bundle: bundle).userID == "test@hypercubeb2c.onmicrosoft.com")
    #expect(try ConnectorSettings(bundle: bundle, resource: "server") == Samples.settings())
    let error = #expect(throws: SettingsError.self) { try ConnectorSettings(bundle: bundle, resource: "none") }
    #expect(error?.problems.map(\.kind) == [.fileNotFound])
    #expect(error?.file == "none.plist")
  }

  @Test("The main bundle of the tests has no settings, and the error says what to do")
  func main() throws {
    let error = #expect(throws: SettingsError.self) { try ConnectorSettings.main }
    #expect(error?.problems.map(\.kind) == [.fileNotFound])
    #expect(error?.problems.first?.answer?.contains("ConnectorSettings(contentsOf:)") == true)
  }
}
