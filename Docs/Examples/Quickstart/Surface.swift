import B2CConnector
import Foundation

/// Where the sign-in page is shown, as the command line asks for it.
struct Surface: Sendable {
  let loopbackPort: UInt16?
  let printsURL: Bool

  init(_ arguments: Arguments) {
    loopbackPort = arguments.loopbackPort
    printsURL = arguments.printsURL
  }

  /// Reads settings, chooses the presenter that serves their redirect URI, and keeps tokens in memory only.
  func connector(file: URL, transport: any HTTPTransport) throws -> Connector {
    let settings: ConnectorSettings
    do {
      settings = try adapted(ConnectorSettings(contentsOf: file))
    } catch let error as SettingsError {
      throw ConnectorError(.settings, error.description, underlying: error)
    }
    for warning in settings.warnings { TerminalProgress.write("warning: \(warning)") }
    var environment = OAuthEnvironment()
    environment.presenter = presenter(for: settings.redirectURI)
    environment.cache = InMemoryTokenCache()
    environment.transport = transport
    return try Connector(settings: settings, environment: environment)
  }

  /// The settings with the redirect URI moved to the port that was asked for.
  func adapted(_ settings: ConnectorSettings) throws -> ConnectorSettings {
    guard let loopbackPort else { return settings }
    var copy = settings
    copy.redirectURI = try redirectURI(settings.redirectURI, port: loopbackPort)
    return copy
  }

  /// A loopback redirect keeps its host and path; any other gives way to one.
  func redirectURI(_ registered: URL?, port: UInt16?) throws -> URL {
    let port = port.map { ":\($0)" } ?? ""
    var text = "http://127.0.0.1\(port)/callback"
    if let registered, registered.scheme == "http", let host = registered.host {
      text = "http://\(host.contains(":") ? "[\(host)]" : host)\(port)\(registered.path)"
    }
    guard let url = URL(string: text) else { throw UsageError(message: "\(text) is no URL") }
    return url
  }

  func presenter(for redirectURI: URL) -> any SignInPresenter {
    guard redirectURI.scheme == "http" else { return ManualPresenter() }
    guard printsURL else { return WaitingPresenter() }
    return LoopbackPresenter(opening: BrowserOpening { url in Narrator.write("OPEN \(url.absoluteString)") })
  }
}

/// Shows on the terminal what is waited for, and for how long, while the browser is open.
struct WaitingPresenter: SignInPresenter {
  private static let timeout: Duration = .seconds(300)
  private let inner = LoopbackPresenter(timeout: timeout)

  func validate(redirectURI: URL) throws { try inner.validate(redirectURI: redirectURI) }

  func present(_ request: PresentationRequest) async throws -> URL {
    try await TerminalProgress(timeout: Self.timeout).waiting(for: "the sign-in page in the browser") {
      try await inner.present(request)
    }
  }
}
