import B2CConnector
import Foundation

/// Sign-in, user info, silent refresh and sign-out at any OpenID Connect issuer.
struct IssuerTour: Sendable {
  let issuer: String
  let clientID: String
  let arguments: Arguments
  let story: Story

  func run() async throws {
    if arguments.diagnoses {
      // Where the settings cannot be used, too.
      var environment = Connector.Environment()
      environment.presenter = try Surface(arguments).presenterToCheck(for: redirectURI())
      environment.cache = .memory()
      environment.transport = TellingTransport(story)
      try await Program.show(try await Connector.diagnose(settings: try settings(), environment: environment))
      return
    }
    let connector = try connector()
    story.title("Issuer \(issuer)")
    try await story.step("signIn()") {
      "\(try await connector.signIn(options: SignInOptions(prompt: arguments.prompt)).user) signed in"
    }
    try await story.claims(connector.session, false)
    try await story.step("fetchUserInfo()") {
      let user = try await connector.fetchUserInfo()
      return "\(user), \(user.emails.first ?? "no email address")"
    }
    var cached: AccessToken?
    try await story.step("accessToken()") {
      let token = try await connector.accessToken()
      cached = token
      return "from the cache, until \(Self.text(token.expiresAt))"
    }
    try await story.step("accessToken()") {
      let token = try await connector.accessToken(forceRefresh: true)
      return "refreshed without a page: \(token.token == cached?.token ? "the same token" : "a new token")"
    }
    try await story.step("signOut()") { try await signOut(connector) }
    try await story.step("accessToken()") {
      do {
        _ = try await connector.accessToken()
        throw ConnectorError(.server, "The SDK returned a token after the sign-out.")
      } catch let error as ConnectorError where error.needsInteraction {
        return "asks for a sign-in: \(error.code.rawValue)"
      }
    }
    await story.end(next: "choose a presenter and a redirect URI for your app in Docs/SignIn.md")
  }

  private func connector() throws -> Connector {
    var environment = Connector.Environment()
    environment.cache = .memory()
    environment.transport = TellingTransport(story)
    environment.presenter = try Surface(arguments).presenter(for: redirectURI())
    return try Connector(settings: settings(), environment: environment)
  }

  private func settings() throws -> ConnectorSettings {
    ConnectorSettings(
      authority: try Authority(issuer, kind: .openIDConnect), clientID: clientID, scopes: arguments.scopes,
      redirectURI: try redirectURI())
  }

  private func redirectURI() throws -> URL {
    try Surface(arguments).redirectURI(arguments.redirectURI, port: arguments.loopbackPort)
  }

  /// A time of today, or with its date.
  private static func text(_ time: Date) -> String {
    time.formatted(date: Calendar.current.isDateInToday(time) ? .omitted : .abbreviated, time: .standard)
  }

  /// Signs out here and at the server, as far as it offers that.
  private func signOut(_ connector: Connector) async throws -> String {
    do {
      let browser = try await connector.signOut(endsBrowserSession: true, sendsIDTokenHint: true)
      return browser == .returned
        ? "the tokens are gone, and the browser came back from the server's sign-out page"
        : "the tokens are gone; the browser did not come back from the server's sign-out page"
    } catch let error as ConnectorError where error.code == .unsupported {
      return "the tokens are gone; the server has no page to end its session"
    }
  }
}
