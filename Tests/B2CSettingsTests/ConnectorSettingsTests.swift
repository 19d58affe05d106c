import B2CSettings
import Foundation
import TestSupport
import Testing

@Suite struct ConnectorSettingsTests {
  private let root: TemporaryDirectory
  private let directory: URL

  init() throws {
    root = try TemporaryDirectory("settings")
    directory = root.url.appendingPathComponent("app.bundle")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
  }

  private func write(_ text: String, _ name: String) throws -> URL {
    let file = directory.appendingPathComponent(name)
    try Data(text.utf8).write(to: file)
    return file
  }

  @Test("A file is read, also through a link, and named in the error")
  func contents() throws {
    let file = try write(Samples.finished, "real.plist")
    let link = directory.appendingPathComponent("link.plist")
    try FileManager.default.createSymbolicLink(at: link, withDestinationURL: file)
    let settings = try ConnectorSettings(data: Data(Samples.finished.utf8))
    for url in [file, link] { #expect(try ConnectorSettings(contentsOf: url) == settings) }
    let template = try write(Samples.template, "template.plist")
    let error = try #require(failure(of: template))
    #expect(error.file == template.path)
    #expect("\(error)".hasPrefix("\(template.path) cannot be used:\n"))
  }

  @Test("Nothing is read but a regular file of at most 64 KiB")
  func unreadable() throws {
    // A reader of a pipe waits for its writer.
    let pipe = directory.appendingPathComponent("pipe.plist")
    #expect(mkfifo(pipe.path, 0o600) == 0)
    let web = try #require(URL(string: "https://contoso.com" + write(Samples.plist(), "there.plist").path))
    let missing = directory.appendingPathComponent("none.plist")
    for url in [missing, directory, URL(fileURLWithPath: "/dev/zero"), pipe, web] {
      #expect(failure(of: url)?.problems.map(\.fault) == [.fileUnreadable], "\(url)")
      #expect(failure(of: url)?.file == url.path)
    }
    let large = try write(String(repeating: " ", count: 70_000), "large.plist")
    #expect(failure(of: large)?.problems.map(\.fault) == [.fileTooLarge])
  }

  @Test("A bundle's resource is read, and the error of a missing one says what to do")
  func bundle() throws {
    _ = try write(Samples.finished, "settings.plist")
    _ = try write(Samples.plist(), "server.plist")
    let bundle = try #require(Bundle(url: directory))
    #expect(try ConnectorSettings(bundle: bundle).userID == "test@hypercubeb2c.onmicrosoft.com")
    #expect(try ConnectorSettings(bundle: bundle, resource: "server") == Samples.settings())
    #expect(failure { try ConnectorSettings(bundle: bundle, resource: "none") }?.file == "none.plist")
    let near = try #require(failure { try ConnectorSettings(bundle: bundle, resource: "servers") }?.problems.first)
    #expect(near.message.contains("has no such resource"))
    #expect(near.recoverySuggestion?.contains("\"server.plist\"") == true)
    // The main bundle of the tests has no settings.
    let error = try #require(failure { try ConnectorSettings.main })
    #expect(error.problems.map(\.fault) == [.noResource])
    #expect(error.problems.first?.answer?.contains("ConnectorSettings(contentsOf:)") == true)
  }

  /// The problem of a missing file among files with other names.
  private func problem(of wanted: String, among names: [String]) throws -> SettingsProblem {
    for name in names { _ = try write("", name) }
    return try #require(failure(of: directory.appendingPathComponent(wanted))?.problems.first)
  }

  @Test(
    "The error of a missing file names the file in its directory with nearly the same name",
    arguments: [
      ("settings.plist", "settings.plist.txt"), ("settings.plist", "settings.plist.plist"),
      ("settings.plist", "settings"), ("settings.plist", "setings.plist"), ("settings.plist", "Setting.plist"),
      ("settings.plist", "setting.PLIST"), ("settings.plist", "settings.xml"),
      ("contoso-dev.plist", "contoso_dev.plist"),
      ("settings", "settings.plist"),
    ])
  func near(_ wanted: String, _ there: String) throws {
    let others = ["Info.plist", "notes.txt", "strings.plist", "settings.swift"]
    let file = try problem(of: wanted, among: others + [there])
    #expect(file.message.contains("does not exist"), "\(file)")
    #expect(file.recoverySuggestion?.contains("\"\(there)\"") == true, "\(file)")
  }

  @Test("A directory is not offered, and nothing in place of one")
  func directories() throws {
    for name in ["settings.plist", "settigs.plist"] {
      try FileManager.default.createDirectory(
        at: directory.appendingPathComponent(name), withIntermediateDirectories: true)
    }
    for name in ["settings.plist", "setings.plist"] {
      let file = try problem(of: name, among: [])
      #expect(file.recoverySuggestion?.contains("The same directory") == false, "\(file)")
    }
  }

  // The Swift 6.3.1 compiler crashes at a closure in such a `catch` if the call throws a typed error.
  @Test("Every error of reading and of checking settings is caught by a cast")
  func caught() throws {
    var paths: [String] = []
    let note = { (error: () -> SettingsError) in paths += error().problems.map(\.keyPath) }
    let missing = URL(filePath: "/none.plist")
    do { _ = try ConnectorSettings(data: Data()) } catch let error as SettingsError { note { error } }
    do { _ = try ConnectorSettings(contentsOf: missing) } catch let error as SettingsError { note { error } }
    do { _ = try ConnectorSettings(bundle: .main, resource: "none") } catch let error as SettingsError {
      note { error }
    }
    do { _ = try ConnectorSettings.main } catch let error as SettingsError { note { error } }
    var settings = try Samples.settings()
    settings.clientID = "x"
    do { try settings.validate() } catch let error as SettingsError { note { error } }
    #expect(paths == ["", "", "", "", "clientId"])
  }

  @Test("Every value of the tutorial's finished sample is read, with a warning for each that is out of use")
  func finishedSample() throws {
    let settings = try ConnectorSettings(data: Data(Samples.finished.utf8))
    let policies = ConnectorSettings.Policies(
      emailSignUp: try Policy(id: "B2C_1_todo_email_signup", kind: .signUp),
      emailSignIn: try Policy(id: "B2C_1_todo_email_signin", kind: .signIn),
      facebookSignIn: try Policy(
        id: "B2C_1_todo_facebook_signin", kind: .federatedSignIn, domainHint: "facebook.com"))
    #expect(settings.authority == (try Authority("https://login.microsoftonline.com/hypercubeb2c.onmicrosoft.com/")))
    #expect(settings.clientID == "7bf688ce-8139-4ca8-9391-02fdb6f86d67" && settings.scopes == [settings.clientID])
    #expect(settings.additionalScopes.isEmpty && settings.redirectURI.absoluteString == "urn:ietf:wg:oauth:2.0:oob")
    #expect(settings.userID == "test@hypercubeb2c.onmicrosoft.com")
    #expect(settings.taskWebAPI?.absoluteString == "https://kidventus.net/todoserver/tasks")
    #expect(!settings.fullScreen && settings.showClaims && settings.correlationID == nil)
    #expect(settings.policies == policies)
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

  // Readers copy the settings in `Docs/Examples`.
  private static let examples = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Docs/Examples")

  @Test(
    "The settings to copy are read without a warning",
    arguments: [
      // The portal steps create this user flow and no other, and `diagnose` asks for every one that is named.
      ("settings.plist", Authority.Kind.b2c, "http://localhost:8400/callback", ["B2C_1_SignUpOrSignIn"]),
      ("settings-external-id.plist", .ciam, "msauth.com.example.Todo://auth", []),
    ])
  func examples(_ file: String, _ kind: Authority.Kind, _ redirectURI: String, _ policies: [String]) throws {
    let settings = try ConnectorSettings(contentsOf: Self.examples.appending(path: file))
    #expect(settings.warnings.isEmpty && settings.authority.kind == kind)
    #expect(settings.scopes.count == 2 && settings.taskWebAPI != nil)
    #expect(settings.redirectURI.absoluteString == redirectURI)
    #expect(settings.policies.all.map(\.id) == policies && settings.policies.policy(of: .signIn)?.id == policies.first)
  }

  @Test("The flows in the comment of the settings to copy are read once the comment is removed")
  func otherFlows() throws {
    let file = try String(contentsOf: Self.examples.appending(path: "settings.plist"), encoding: .utf8)
    let whole = file.replacing(/<!-- If your .*\n((?:.*\n)*?) *-->\n/) { $0.output.1 }
    let policies = try ConnectorSettings(data: Data(whole.utf8)).policies
    #expect(policies.policy(of: .passwordReset)?.id == "B2C_1_ResetPassword")
    #expect(policies.policy(of: .profileEdit)?.id == "B2C_1_EditProfile")
  }
}
