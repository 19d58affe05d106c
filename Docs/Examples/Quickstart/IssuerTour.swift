import B2CConnector
import Foundation

/// Sign-in, silent refresh and sign-out at any OpenID Connect issuer.
struct IssuerTour: Sendable {
  let issuer: String
  let clientID: String
  let arguments: Arguments
  let narrator: Narrator

  func run() async throws {
    let surface = Surface(arguments)
    let redirectURI = try surface.redirectURI(nil, port: arguments.loopbackPort)
    var environment = OAuthEnvironment()
    environment.cache = InMemoryTokenCache()
    environment.transport = NarratingTransport(narrator)
    environment.presenter = surface.presenter(for: redirectURI)
    let client = try OAuthClient(
      configuration: OAuthConfiguration(
        authority: try Authority(issuer, kind: .openIDConnect), clientID: clientID, redirectURI: redirectURI,
        scopes: arguments.scopes), environment: environment)

    narrator.step("1. signIn() at \(issuer)")
    narrator.user(try await client.signIn().user, showsClaims: true)

    narrator.step("2. accessToken(): the cached token.")
    let cached = try await client.accessToken()
    narrator.result("a token until \(cached.expiresAt)")

    narrator.step("3. accessToken(forceRefresh: true): one silent refresh.")
    var forced = TokenOptions()
    forced.forceRefresh = true
    let renewed = try await client.accessToken(options: forced)
    narrator.result("a token until \(renewed.expiresAt), \(renewed.token == cached.token ? "the same" : "a new one")")

    narrator.step("4. signOut(), and what a call answers after it.")
    try await client.signOut()
    do {
      _ = try await client.accessToken()
      throw OAuthError(.protocolViolation, "A call after the sign-out was answered with a token.")
    } catch let error as OAuthError where error.needsInteraction {
      narrator.result("\(error)")
    }
    narrator.step("Done.")
  }
}
