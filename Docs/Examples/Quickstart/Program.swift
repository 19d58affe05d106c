import B2CConnector
import Foundation

/// Chooses what to run: on this machine alone, on a real tenant, or at any OpenID Connect issuer.
struct Program: Sendable {
  let arguments: Arguments

  func run() async throws {
    let story = Story(isVerbose: arguments.isVerbose)
    if let issuer = arguments.issuer, let clientID = arguments.clientID {
      try await IssuerTour(issuer: issuer, clientID: clientID, arguments: arguments, story: story).run()
    } else if let path = arguments.settings {
      try await runOnTenant(URL(fileURLWithPath: path), story)
    } else {
      try await LocalTour(arguments: arguments, story: story).run()
    }
  }

  private func runOnTenant(_ file: URL, _ story: Story) async throws {
    let surface = Surface(arguments)
    if arguments.diagnoses {
      let settings = { try surface.adapted(ConnectorSettings(contentsOf: file)) }
      var environment = Connector.Environment()
      environment.presenter = (try? settings()).map { surface.presenterToCheck(for: $0.redirectURI) }
      environment.cache = .memory()
      try await Self.show(try await Connector.diagnose(settings: try settings(), environment: environment))
      return
    }
    let connector = try surface.connector(file: file, transport: TellingTransport(story))
    try await TenantTour(connector: connector, arguments: arguments, story: story).run()
  }

  /// Prints a diagnosis; an unhealthy one ends the program with exit code 2.
  static func show(_ diagnosis: Diagnosis) async throws {
    Terminal.write("\(diagnosis)", to: .standardOutput)
    if !diagnosis.isHealthy { throw UnhealthyError() }
  }

  /// Adds this machine to `no_proxy` of this process, because a proxy cannot reach servers that run here.
  static func exemptThisMachineFromProxies() {
    let environment = ProcessInfo.processInfo.environment
    let exempt = ["no_proxy", "NO_PROXY"].compactMap { environment[$0] }.first { !$0.isEmpty }
    guard exempt != "*" else { return }
    setenv("no_proxy", (exempt.map { $0 + "," } ?? "") + "localhost,127.0.0.1,::1", 1)
  }

  /// The exit code for an error, as ``Arguments/help`` promises: 2 for what only other settings or options can fix.
  static func exitCode(for error: any Error) -> Int32 {
    let fixable: Set<ErrorCode> = [
      .settings, .configuration, .unsupportedRedirectURI, .missingAPIScope,
    ]
    switch error {
    case is UsageError, is UnhealthyError, is SettingsError: return 2
    case let error as ConnectorError: return fixable.contains(error.code) ? 2 : 1
    default: return 1
    }
  }
}

/// The diagnosis, already printed, found something to fix.
struct UnhealthyError: Error {}
