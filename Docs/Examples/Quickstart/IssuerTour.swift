import B2CConnector
import Foundation

/// Sign-in, user info, silent refresh and sign-out at any OpenID Connect issuer.
struct IssuerTour: Sendable {
  let issuer: String
  let clientID: String
  let arguments: Arguments
  let story: Story

  func run() async throws {
    let client = try client()
    story.title("Issuer \(issuer)")
    try await story.step("signIn()") {
      "\(try await client.signIn(prompt: arguments.prompt).user) signed in"
    }
    story.claims(try await client.currentAccount()?.claims, false)
    try await story.step("userInfo()") {
      let user = try await client.userInfo()
      return "\(user), \(user.emails.first ?? "no email address")"
    }
    var cached: AccessToken?
    try await story.step("accessToken()") {
      let token = try await client.accessToken()
      cached = token
      return "from the cache, until \(token.expiresAt.formatted(date: .omitted, time: .standard))"
    }
    try await story.step("accessToken()") {
      var forced = TokenOptions()
      forced.forceRefresh = true
      let token = try await client.accessToken(options: forced)
      return "refreshed without a page: \(token.token == cached?.token ? "the same token" : "a new token")"
    }
    try await story.step("signOut()") { try await signOut(client) }
    try await story.step("accessToken()") {
      do {
        _ = try await client.accessToken()
        throw OAuthError(.protocolViolation, "A call after the sign-out was answered with a token.")
      } catch let error as OAuthError where error.needsInteraction {
        return "asks for a sign-in: \(error.code.rawValue)"
      }
    }
    await story.end(next: "choose a presenter and a redirect URI for your app in Docs/SignIn.md")
  }

  private func client() throws -> OAuthClient {
    let surface = Surface(arguments)
    let redirectURI = try surface.redirectURI(arguments.redirectURI, port: arguments.loopbackPort)
    var environment = OAuthEnvironment()
    environment.cache = InMemoryTokenCache()
    environment.transport = TellingTransport(story)
    environment.presenter = surface.presenter(for: redirectURI)
    return try OAuthClient(
      configuration: OAuthConfiguration(
        authority: try Authority(issuer, kind: .openIDConnect), clientID: clientID, redirectURI: redirectURI,
        scopes: arguments.scopes), environment: environment)
  }

  /// Signs out here and at the server, as far as it offers that.
  private func signOut(_ client: OAuthClient) async throws -> String {
    var options = SignOutOptions()
    options.sendsIDTokenHint = true
    do {
      try await client.signOut(endsBrowserSession: true, options: options)
      return "the tokens are gone, and the session at the server"
    } catch let error as OAuthError where error.code == .unsupported {
      return "the tokens are gone; the server has no page to end its session"
    }
  }
}
