import B2CConnector
import B2COAuth
import B2CTestKit
import Foundation
import TestSupport

/// The program that must not tell: it signs in, calls, fails and signs out, and prints all that it is given.
struct SecretsWorker: ProofCommand {
  static let name = "secrets-worker"
  static let summary = ""

  private let redirectURI: URL
  private let environment: Connector.Environment
  private let isQuick: Bool

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
    environment.onEvent = { FileHandle.standardError.write(Data("B2CConnector: \($0)\n".utf8)) }
    let worker = SecretsWorker(redirectURI: redirectURI, environment: environment, isQuick: options.isQuick)
    // As the default presenter opens it, with the proof's own program on the search path.
    environment.presenter = LoopbackPresenter(
      open: { await Browser.open($0, path: folder.appendingPathComponent("bin").path) }, timeout: .seconds(30))
    let authority = try Authority(try options.value(1, "the authority"))
    let settings = ConnectorSettings(
      authority: authority, clientID: LocalTenant.standardClientID, scopes: scopes, redirectURI: redirectURI,
      taskWebAPI: taskAPI, policies: .init(emailSignIn: try Policy("B2C_1_SignIn")))
    let connector = try Connector(settings: settings, environment: environment) { $0.retry = .none }

    say("page")
    tell(try await connector.signIn())
    tell(connector)
    tell(try await connector.accessToken(forceRefresh: true))
    tell(try await connector.addTask(TaskItem(itemName: "Buy milk")))
    tell(try await connector.users())
    await worker.faults(.refresh) {
      await tellFailure { try await connector.accessToken(forceRefresh: true) }
      await tellFailure { try await connector.getTaskList() }
      await tellFailure { try await connector.addTask(TaskItem(itemName: "Feed the cat")) }
      await tellFailure { try await connector.diagnose().description }
    }
    try await worker.signIns(authority)
    try await worker.issuer(try Authority(try options.value(4, "the issuer"), kind: .openIDConnect))
    ask("fault none")
    ask("files")
    say("page")
    try await connector.signOut(endsBrowserSession: true, sendsIDTokenHint: true)
    return true
  }

  private static let scopes = [
    "https://contoso.onmicrosoft.com/tasks/read", "https://contoso.onmicrosoft.com/tasks/write",
  ]

  /// Sign-ins that fail at the redirect, at the token endpoint, and at the documents before and after.
  private func signIns(_ authority: Authority) async throws {
    let known = try connector(authority)
    for fault in [SecretsFault.code, .verifier, .state, .nonce] {
      await faults(fault) { await Self.tellFailure { try await known.signIn() } }
    }
    for fault in [SecretsFault.metadata, .keys] {
      await faults(fault) {
        // A connector that knows no documents yet.
        await Self.tellFailure { try await connector(authority).signIn() }
      }
    }
  }

  /// What only a plain OpenID Connect provider has: userinfo and device codes.
  private func issuer(_ authority: Authority) async throws {
    let connector = try connector(authority)
    Self.tell(try await connector.signIn())
    Self.tell(try await connector.fetchUserInfo())
    await faults(.userinfo) { await Self.tellFailure { try await connector.fetchUserInfo() } }
    await faults(.device) {
      let clock = LeapingClock()
      let start = clock.now
      var environment = environment
      environment.clock = clock
      environment.now = { Date().addingTimeInterval(start.duration(to: clock.now) / .seconds(1)) }
      await Self.tellFailure { [environment] in
        try await self.connector(authority, environment).signInWithDeviceCode { Self.tell($0) }
      }
    }
  }

  private func connector(_ authority: Authority, _ environment: Connector.Environment? = nil) throws -> Connector {
    let policy = authority.kind == .openIDConnect ? nil : try Policy("B2C_1_SignIn")
    let settings = ConnectorSettings(
      authority: authority, clientID: LocalTenant.standardClientID, scopes: Self.scopes, redirectURI: redirectURI,
      policies: .init(emailSignIn: policy))
    var environment = environment ?? self.environment
    environment.presenter = ScriptedPresenter(transport: URLSessionTransport(), .signIn(.alice))
    return try Connector(settings: settings, environment: environment) { $0.retry = .none }
  }

  /// Lets every fault of a kind happen, one after the other.
  private func faults(_ fault: SecretsFault, _ body: () async -> Void) async {
    for _ in fault.echoes(isQuick: isQuick) {
      Self.ask("fault \(fault.rawValue)")
      await body()
    }
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

  /// Asks the proof for something, and waits until it is done.
  private static func ask(_ line: String) {
    say(line)
    _ = readLine()
  }

  private static func say(_ line: String) {
    FileHandle.standardOutput.write(Data((line + "\n").utf8))
  }
}
