import B2CConnector
import B2CTestKit
import Foundation
import TestSupport

/// A process of a proof's own, as it sees itself.
enum Worker {
  /// Writes straight to the pipe, so that the line is there even if the process dies at the next instruction.
  static func say(_ line: String) { try? FileHandle.standardOutput.write(contentsOf: Data((line + "\n").utf8)) }

  /// Says that it is ready, and waits for the word to begin.
  static func waitForSignal() {
    say("ready")
    _ = readLine()
  }

  /// Starts a command as several processes, which begin together when each has said that it is ready.
  static func start(_ command: any ProofCommand.Type, _ arguments: [[String]]) throws -> [ChildProcess] {
    let children = try arguments.map { try ready(command, $0) }
    for child in children { child.signal() }
    return children
  }

  /// Starts a command as a process, and waits until it says that it is ready.
  static func ready(_ command: any ProofCommand.Type, _ arguments: [String]) throws -> ChildProcess {
    let child = try ChildProcess(command, arguments)
    guard child.readLine() == "ready" else { throw Failure("\(command.name) did not start") }
    return child
  }
}

extension ChildProcess {
  convenience init(_ command: any ProofCommand.Type, _ arguments: [String], keepsErrors: Bool = false) throws {
    try self.init(arguments: [command.name] + arguments, keepsErrors: keepsErrors)
  }
}

/// A limit for a body that may never return.
enum Watchdog {
  /// Runs a body, and returns `nil` if it is not back in time.
  ///
  /// The body is then left alone, because it may ignore its cancellation.
  static func run<Result: Sendable>(
    _ limit: Duration, _ body: @escaping @Sendable () async -> Result
  ) async -> Result? {
    try? await abandoning(after: limit, on: ContinuousClock(), throwing: Failure("it hangs"), body)
  }
}

/// A tenant on loopback HTTP, for connectors of this process and of others.
struct ProofTenant: Sendable {
  let tenant = LocalTenant(redirectURIs: [redirectURI])
  let authority: String
  private static let redirectURI = "http://127.0.0.1/callback"

  init() async throws {
    try await tenant.start()
    authority = tenant.authority(form: .query)
  }

  /// Signs in, and leaves a token in the cache that has ended already; later ones last an hour.
  func signIn(_ cache: any TokenCache) async throws {
    tenant.behavior.changeTokenAnswer = {
      $0["expires_in"] = .integer(0)
      $0["expires_on"] = nil
    }
    let presenter = ScriptedPresenter(transport: URLSessionTransport(), .signIn(.alice))
    try await Self.connector(authority, cache, presenter: presenter).doPolicy(.signIn)
    tenant.behavior.changeTokenAnswer = nil
    tenant.clearRequests()
  }

  /// Makes a connector, with settings that parent and child agree on.
  static func connector(
    _ authority: String, _ cache: any TokenCache, presenter: (any SignInPresenter)? = nil, deadline: Duration? = nil
  ) throws -> Connector {
    let settings = ConnectorSettings(
      authority: try Authority(authority), clientID: LocalTenant.standardClientID,
      scopes: ["https://contoso.onmicrosoft.com/tasks/read"], redirectURI: try url(redirectURI),
      policies: .init(emailSignIn: try Policy("B2C_1_SignIn")))
    var environment = Connector.Environment()
    environment.cache = cache
    environment.transport = ProofTransport.make()
    environment.presenter = presenter
    return try Connector(settings: settings, environment: environment) {
      if let deadline { $0.limits.deadline = deadline }
    }
  }
}
