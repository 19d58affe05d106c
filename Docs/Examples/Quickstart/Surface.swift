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
    for warning in settings.warnings { Terminal.write("warning: \(warning)", to: .standardError) }
    var environment = Connector.Environment()
    environment.presenter = presenter(for: settings.redirectURI)
    environment.cache = .memory()
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

  /// The registered redirect URI, moved to a port if one is named; what is not a loopback URI gives way to one then.
  func redirectURI(_ registered: URL?, port: UInt16?) throws -> URL {
    if let registered, port == nil { return registered }
    let port = port.map { ":\($0)" } ?? ""
    var text = "http://127.0.0.1\(port)/callback"
    if let registered, registered.scheme == "http", let host = registered.host {
      text = "http://\(host.contains(":") ? "[\(host)]" : host)\(port)\(registered.path)"
    }
    guard let url = URL(string: text) else { throw UsageError(message: "\(text) is not a URL") }
    return url
  }

  /// The package's own presenter behind the one that tells of itself, for a diagnosis.
  func presenterToCheck(for redirectURI: URL) -> any SignInPresenter {
    redirectURI.scheme == "http" ? LoopbackPresenter() : PastingPresenter()
  }

  func presenter(for redirectURI: URL) -> any SignInPresenter {
    guard redirectURI.scheme == "http" else { return PastingPresenter() }
    guard printsURL else { return WaitingPresenter() }
    return LoopbackPresenter(
      open: { url in Terminal.write("OPEN \(url.absoluteString)", to: .standardOutput) })
  }
}

/// Shows the page's address and takes the one it ends on, for a redirect that this machine cannot receive.
struct PastingPresenter: SignInPresenter {
  func present(_ request: PresentationRequest) async throws -> URL {
    var page = URLComponents(url: request.url, resolvingAgainstBaseURL: true)
    // It holds personal data, and the page of a sign-out asks without it.
    page?.percentEncodedQueryItems?.removeAll { $0.name == "id_token_hint" }
    Terminal.write("Open this page, and paste the address it ends on:\n\(page?.string ?? "")", to: .standardError)
    guard let line = readLine(), let callback = URL(string: line) else {
      throw ConnectorError(.userClosedBrowser, "No address was pasted.")
    }
    return callback
  }
}

/// Says on standard error, while the browser is open, what is waited for and for how long.
struct WaitingPresenter: SignInPresenter {
  /// How long a page is waited for.
  static let timeout: Duration = .seconds(300)
  private let inner = LoopbackPresenter(timeout: timeout)

  func validate(redirectURI: URL) throws { try inner.validate(redirectURI: redirectURI) }

  func present(_ request: PresentationRequest) async throws -> URL {
    // A sign-out waits for a minute.
    let isSignOut = request.url.query?.contains("post_logout_redirect_uri") == true
    let ticker = Task { await Self.countDown(from: isSignOut ? 60 : Self.timeout.components.seconds) }
    let end: Result<URL, any Error>
    do {
      end = .success(try await inner.present(request))
    } catch {
      end = .failure(error)
    }
    ticker.cancel()
    await ticker.value
    return try end.get()
  }

  /// Counts down in one line of a terminal, which is gone at the end; in a file says once until when.
  private static func countDown(from seconds: Int64) async {
    guard Terminal.rewritesLines else {
      let end = Date().addingTimeInterval(Double(seconds)).formatted(date: .omitted, time: .standard)
      return Terminal.write("Waiting for the page in the browser, until \(end).", to: .standardError)
    }
    for left in stride(from: seconds - 1, through: 0, by: -1) {
      // What the presenter has to say at the beginning has a line of its own.
      guard (try? await Task.sleep(for: .seconds(1))) != nil else { break }
      Terminal.rewriteLine("Waiting for the page in the browser (\(left) s left)")
    }
    Terminal.rewriteLine("")
  }
}
