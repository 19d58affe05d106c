import B2CAuthority
import B2CSettings
import Foundation
import Testing

@Suite final class ConnectorSettingsTests {
  private let directory = FileManager.default.temporaryDirectory.appendingPathComponent(
    "settings-\(UUID().uuidString).bundle")

  init() throws {
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
  }

  deinit {
    try? FileManager.default.removeItem(at: directory)
  }

  private func write(_ text: String, _ name: String) throws -> URL {
    let file = directory.appendingPathComponent(name)
    try Data(text.utf8).write(to: file)
    return file
  }

  @Test("A file is read, and named in the error")
  func contents() throws {
    #expect(try ConnectorSettings(contentsOf: write(Samples.finished, "settings.plist")).showClaims)
    let file = try write(Samples.template, "template.plist")
    let error = try #require(failure(of: file))
    #expect(error.file == file.path)
    #expect("\(error)".hasPrefix("\(file.path) cannot be used:\n"))
  }

  @Test("A link to a file is followed")
  func link() throws {
    let file = try write(Samples.finished, "real.plist")
    let link = directory.appendingPathComponent("link.plist")
    try FileManager.default.createSymbolicLink(at: link, withDestinationURL: file)
    #expect(try ConnectorSettings(contentsOf: link) == ConnectorSettings(contentsOf: file))
  }

  @Test("A file that is missing, no file, no file URL, or too large")
  func unreadable() throws {
    let missing = directory.appendingPathComponent("none.plist")
    #expect(failure(of: missing)?.problems.map(\.fault) == [.fileUnreadable])
    #expect(failure(of: missing)?.file == missing.path)
    #expect(failure(of: directory)?.problems.map(\.fault) == [.fileUnreadable])
    #expect(failure(of: URL(fileURLWithPath: "/dev/zero"))?.problems.map(\.fault) == [.fileUnreadable])
    // A reader of a pipe waits for its writer.
    let pipe = directory.appendingPathComponent("pipe.plist")
    #expect(mkfifo(pipe.path, 0o600) == 0)
    #expect(failure(of: pipe)?.problems.map(\.fault) == [.fileUnreadable])
    let web = try #require(URL(string: "https://contoso.com" + write(Samples.plist(), "there.plist").path))
    #expect(failure(of: web)?.problems.map(\.fault) == [.fileUnreadable])
    let large = try write(String(repeating: " ", count: 70_000), "large.plist")
    #expect(failure(of: large)?.problems.map(\.fault) == [.fileTooLarge])
  }

  @Test("A bundle's resource is read")
  func bundle() throws {
    _ = try write(Samples.finished, "settings.plist")
    _ = try write(Samples.plist(), "server.plist")
    let bundle = try #require(Bundle(url: directory))
    #expect(try ConnectorSettings(bundle: bundle).userID == "test@hypercubeb2c.onmicrosoft.com")
    #expect(try ConnectorSettings(bundle: bundle, resource: "server") == Samples.settings())
    let error = #expect(throws: SettingsError.self) { try ConnectorSettings(bundle: bundle, resource: "none") }
    #expect(error?.problems.map(\.fault) == [.noResource])
    #expect(error?.file == "none.plist")
  }

  @Test("The main bundle of the tests has no settings, and the error says what to do")
  func main() throws {
    let error = #expect(throws: SettingsError.self) { try ConnectorSettings.main }
    #expect(error?.problems.map(\.fault) == [.noResource])
    #expect(error?.problems.first?.answer?.contains("ConnectorSettings(contentsOf:)") == true)
  }

  @Test("Every value of the tutorial's finished sample is read, with a warning for each that is out of use")
  func finishedSample() throws {
    let settings = try ConnectorSettings(data: Data(Samples.finished.utf8))
    #expect(settings.authority == (try Authority("https://login.microsoftonline.com/hypercubeb2c.onmicrosoft.com/")))
    #expect(settings.clientID == "7bf688ce-8139-4ca8-9391-02fdb6f86d67")
    #expect(settings.scopes == ["7bf688ce-8139-4ca8-9391-02fdb6f86d67"])
    #expect(settings.additionalScopes.isEmpty)
    #expect(settings.redirectURI.absoluteString == "urn:ietf:wg:oauth:2.0:oob")
    #expect(settings.userID == "test@hypercubeb2c.onmicrosoft.com")
    #expect(settings.taskWebAPI?.absoluteString == "https://kidventus.net/todoserver/tasks")
    #expect(!settings.fullScreen && settings.showClaims && settings.correlationID == nil)
    let policies = settings.policies
    #expect(policies.emailSignUp?.id == "B2C_1_todo_email_signup" && policies.emailSignUp?.kind == .signUp)
    #expect(policies.facebookSignIn?.id == "B2C_1_todo_facebook_signin")
    #expect(policies.facebookSignIn?.kind == .federatedSignIn)
    #expect(policies.facebookSignIn?.domainHint == "facebook.com")
    #expect(policies.emailSignIn?.id == "B2C_1_todo_email_signin" && policies.emailSignIn?.kind == .signIn)
    #expect(policies.selected == nil)
    #expect(settings.warnings.map(\.fault) == [.outOfBandRedirectURI, .retiredAuthority])
    #expect(settings.warnings.map(\.keyPath) == ["redirectUri", "authority"])
    #expect(settings.warnings.last?.answer == "https://hypercubeb2c.b2clogin.com/hypercubeb2c.onmicrosoft.com/")
  }

  @Test("Settings made in code are checked as a file is")
  func validate() throws {
    let finished = try ConnectorSettings(data: Data(Samples.finished.utf8))
    #expect(try finished.validate().map(\.fault) == finished.warnings.map(\.fault))
    var settings = try Samples.settings()
    #expect(try settings.validate().isEmpty)
    settings.clientID = "x"
    settings.scopes = ["a b", "re\u{E4}d"]
    settings.redirectURI = try #require(URL(string: "javascript:alert(1)"))
    settings.taskWebAPI = URL(string: "http://localhost/tasks:3000")
    let error = #expect(throws: SettingsError.self) { try settings.validate() }
    #expect(error?.problems.map(\.keyPath) == ["clientId", "scopes[0]", "scopes[1]", "redirectUri", "taskWebAPI"])
    #expect(error?.problems.last?.answer == "http://localhost:3000/tasks")
  }

  @Test("Two settings are equal when all their values are, and their warnings")
  func equality() throws {
    let settings = try Samples.settings()
    #expect(try settings == Samples.settings())
    var other = settings
    other.userID = "a"
    #expect(other != settings)
    #expect(try settings != Samples.settings(["clientSecret": "<string/>"]))
  }
}
