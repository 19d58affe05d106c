import B2CConnector
import B2COAuth
import Foundation

/// The program that must not tell: it signs in, calls, fails and signs out, and prints all that it is given.
struct SecretsWorker: ProofCommand {
  static let name = "secrets-worker"
  static let summary = ""

  private static let faults = 35

  static func run(_ options: ProofOptions) async throws -> Bool {
    let folder = URL(fileURLWithPath: try options.value(0, "the folder"), isDirectory: true)
    guard let taskAPI = URL(string: try options.value(2, "the task API")),
      let redirectURI = URL(string: try options.value(3, "the redirect URI"))
    else { throw ProofError("no URL") }
    let files = try FileTokenCache(directory: folder.appendingPathComponent("cache"))
    let key = KeyFile(folder.appendingPathComponent("key/key"))
    var environment = OAuthEnvironment()
    environment.cache = options.isBroken ? files : EncryptedTokenCache(wrapping: files, key: key)
    environment.onEvent = OAuthEvent.toStandardError
    // What `BrowserOpening.system` does, with the proof's own program on the search path.
    environment.presenter = LoopbackPresenter(
      opening: .command(named: ["xdg-open"], path: folder.appendingPathComponent("bin").path), timeout: .seconds(30))
    let settings = ConnectorSettings(
      authority: try Authority(try options.value(1, "the authority")), clientID: "11111111-1111-4111-8111-111111111111",
      scopes: ["https://contoso.onmicrosoft.com/tasks/read", "https://contoso.onmicrosoft.com/tasks/write"],
      redirectURI: redirectURI, taskWebAPI: taskAPI, policies: .init(emailSignIn: try Policy("B2C_1_SignIn")))
    let connector = try Connector(settings: settings, environment: environment) { $0.retry = .none }

    say("page")
    tell(try await connector.oauth.signIn())
    tell(connector)
    tell(try await connector.accessToken(forceRefresh: true))
    tell(try await connector.addTask(TaskItem(itemName: "Buy milk")))
    tell(try await connector.accounts())
    for _ in 0..<faults {
      say("fault")
      _ = readLine()
      await tellFailure { try await connector.accessToken(forceRefresh: true) }
      await tellFailure { try await connector.getTaskList() }
      await tellFailure { try await connector.addTask(TaskItem(itemName: "Feed the cat")) }
      tell(try await connector.diagnose().markdown)
    }
    if options.isBroken {
      let token = try await connector.accessToken().token.value
      FileHandle.standardError.write(Data(Data("x\(token)".utf8).base64EncodedString().uppercased().utf8))
    }
    var signOut = SignOutOptions()
    signOut.sendsIDTokenHint = true
    signOut.timeout = .seconds(20)
    say("page")
    try await connector.signOut(endsBrowserSession: true, options: signOut)
    return true
  }

  private static func tellFailure(_ body: () async throws -> some Sendable) async {
    do { tell(try await body()) } catch {
      tell(error)
      tell((error as? ConnectorError)?.underlying as Any)
    }
  }

  /// Everything that a value can be made to print, on one line.
  private static func tell(_ value: Any) {
    var text = "\(value) \(String(reflecting: value)) "
    dump(value, to: &text)
    if let error = value as? any Error { text += error.localizedDescription + " \((error as NSError).userInfo)" }
    say("told: " + text.split(whereSeparator: \.isNewline).joined(separator: " "))
  }

  private static func say(_ line: String) {
    FileHandle.standardOutput.write(Data((line + "\n").utf8))
  }
}
