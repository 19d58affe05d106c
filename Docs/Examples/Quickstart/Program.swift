import B2CConnector
import Foundation

/// Chooses what to run: on this machine alone, on a real tenant, or at any OpenID Connect issuer.
struct Program: Sendable {
  let arguments: Arguments
  let narrator = Narrator()

  /// What only a change of the settings or the options can fix.
  static let fixable: Set<ConnectorError.Code> = [
    .settings, .retiredAuthority, .configuration, .unsupportedRedirectURI, .policyNotConfigured,
  ]

  init(_ arguments: Arguments) {
    self.arguments = arguments
  }

  func run() async throws {
    if let issuer = arguments.issuer, let clientID = arguments.clientID {
      try await IssuerTour(issuer: issuer, clientID: clientID, arguments: arguments, narrator: narrator).run()
    } else if let path = arguments.settings {
      try await runOnTenant(URL(fileURLWithPath: path))
    } else {
      try await LocalTour(arguments: arguments, narrator: narrator).run()
    }
  }

  private func runOnTenant(_ file: URL) async throws {
    let surface = Surface(arguments)
    if arguments.diagnoses {
      let settings = { try surface.adapted(ConnectorSettings(contentsOf: file)) }
      var environment = OAuthEnvironment()
      environment.presenter = (try? settings()).map { surface.presenter(for: $0.redirectURI) }
      environment.cache = InMemoryTokenCache()
      try await Self.show(try await Connector.diagnose(settings: try settings(), environment: environment))
      return
    }
    let connector = try surface.connector(file: file, transport: NarratingTransport(narrator))
    try await TenantTour(connector: connector, policyID: arguments.policy, narrator: narrator).run()
  }

  /// Prints a diagnosis; an unhealthy one ends the program with exit code 2.
  static func show(_ diagnosis: Diagnosis) async throws {
    Narrator.write("\(diagnosis)")
    if !diagnosis.isHealthy { throw UnhealthyError() }
  }
}

/// The diagnosis, already printed, found something to fix.
struct UnhealthyError: Error {}
