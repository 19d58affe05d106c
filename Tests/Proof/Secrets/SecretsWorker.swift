import B2CConnector
import B2CTestKit
import Foundation
import TestSupport

/// The program that must not tell: it signs in with its own cache and presenter, calls, fails and signs out.
struct SecretsWorker: ProofCommand {
  static let name = "secrets-worker"
  static let summary = ""

  static func run(_ options: ProofOptions) async throws -> Bool {
    let folder = URL(fileURLWithPath: try options.value(0, "the folder"), isDirectory: true)
    guard let taskAPI = URL(string: try options.value(2, "the task API")),
      let redirectURI = URL(string: try options.value(3, "the redirect URI"))
    else { throw ProofError("no URL") }
    // The proof looks for the key's text in all that is printed and stored.
    let bytes = Data((0..<32).map { _ in UInt8.random(in: 0...255) })
    try Data(Base64URL.encode(bytes).utf8).write(to: folder.appendingPathComponent("key"))
    var environment = Connector.Environment()
    environment.cache = try .files(at: folder.appendingPathComponent("cache"), sealedWith: bytes)
    environment.onEvent = { note("\($0)") }
    // As the default presenter opens it, with the proof's own program on the search path.
    environment.presenter = LoopbackPresenter(
      open: { await Browser.open($0, path: folder.appendingPathComponent("bin").path) }, timeout: .seconds(30))
    let settings = ConnectorSettings(
      authority: try Authority(try options.value(1, "the authority")), clientID: LocalTenant.standardClientID,
      scopes: ["read", "write"].map { "https://contoso.onmicrosoft.com/tasks/\($0)" }, redirectURI: redirectURI,
      taskWebAPI: taskAPI, policies: .init(emailSignIn: try Policy("B2C_1_SignIn")))
    let connector = try Connector(settings: settings, environment: environment) { $0.retry = .none }

    say("page")
    say("signed in: \(try await connector.signIn())")
    say("token: \(try await connector.accessToken(forceRefresh: true))")
    say("added: \(try await connector.addTask(TaskItem(itemName: "Buy milk")).itemName)")
    ask("fault")
    do { say("token: \(try await connector.accessToken(forceRefresh: true))") } catch { note("\(error)") }
    ask("files")
    say("page")
    try await connector.signOut(endsBrowserSession: true, sendsIDTokenHint: true)
    return true
  }

  private static func note(_ line: String) {
    FileHandle.standardError.write(Data("B2CConnector: \(line)\n".utf8))
  }

  /// Asks the proof for something, and waits until it is done.
  private static func ask(_ line: String) {
    say(line)
    _ = readLine()
  }

  private static func say(_ line: String) {
    FileHandle.standardOutput.write(Data((line + "\n").utf8))
  }
}
