internal import B2CCore
internal import B2CIDToken
internal import Foundation

/// One request for authorization (RFC 6749 section 4.1.1): everything secret in it is fresh and is used once.
struct AuthorizationRequest: Sendable {
  let provider: Provider
  let configuration: OAuthConfiguration
  let policy: Policy?
  let options: SignInOptions
  let correlationID: UUID
  let scopes: [String]
  let pkce = PKCE()
  let state = RandomToken.make(bytes: 32)
  let nonce = RandomToken.make(bytes: 32)

  /// The claims that the claims request made essential: the id_token has to have them.
  let essentialClaims: EssentialClaims

  private let builtAt: ServerClock.Mark
  /// The `max_age` among the extra parameters, which the id_token's `auth_time` has to keep.
  private let maximumAge: Duration?
  private let extra: [(name: String, value: String)]

  init(
    provider: Provider, configuration: OAuthConfiguration, policy: Policy?, options: SignInOptions, correlationID: UUID,
    builtAt: ServerClock.Mark
  ) throws(OAuthError) {
    self.provider = provider
    self.configuration = configuration
    self.policy = policy
    self.options = options
    self.correlationID = correlationID
    scopes = configuration.permitted(options.scopes ?? configuration.scopes)
    extra = try ReservedParameters.checked(options.extraParameters)
    maximumAge = try options.extraParameters["max_age"].map(Self.maximumAge)
    essentialClaims = try options.claimsRequest.map(Self.essentialClaims) ?? EssentialClaims()
    self.builtAt = builtAt
  }

  /// Reads a claims request, so that what the server is asked for can be checked afterwards.
  private static func essentialClaims(_ text: String) throws(OAuthError) -> EssentialClaims {
    guard !text.isEmpty else { return EssentialClaims() }
    guard let request = try? JSONReader.object(Data(text.utf8)) else {
      throw OAuthError(
        .configuration, "The claims request is not a JSON object.",
        recoverySuggestion: #"Pass a claims request as in OpenID Connect Core 5.5, such as {"id_token":{"acr":null}}."#)
    }
    return EssentialClaims(claimsRequest: request)
  }

  /// Reads a `max_age`, so that what the server is asked for can be checked afterwards.
  private static func maximumAge(_ text: String) throws(OAuthError) -> Duration {
    guard text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }), let seconds = Int32(text)
    else {
      throw OAuthError(
        .configuration, "The extra parameter max_age is not a number of seconds.",
        recoverySuggestion: "Pass a whole number, such as 0 for a new sign-in.")
    }
    return .seconds(seconds)
  }

  /// Returns the earliest `auth_time` that keeps `max_age`; `nil` when it was not asked for.
  ///
  /// It is counted from the request and not from the answer: a consent page may take minutes after the login. `Date`
  /// counts whole seconds and its answer travelled; a clock that was never compared may be further off.
  func earliestAuthentication(by clock: ServerClock) -> Date? {
    guard let maximumAge else { return nil }
    let built = clock.time(at: builtAt)
    return built.date.addingTimeInterval(-(maximumAge / .seconds(1)) - (built.isMeasured ? 5 : 30))
  }

  /// The API that the token is for, which the token endpoint is told as well (RFC 8707 section 2.2).
  var resource: String? { options.extraParameters["resource"] }

  /// The scopes that the code is redeemed for.
  var tokenScopes: [String] { Scopes.forRequest(scopes, offlineAccess: addsOfflineAccess) }

  /// The `prompt` parameter; consent where the settings want it and the app asks for nothing else.
  private var prompt: Prompt {
    guard options.prompt == .automatic else { return options.prompt }
    // An edit or a reset leaves no session, so it needs no refresh token.
    let signsIn = policy?.kind != .profileEdit && policy?.kind != .passwordReset
    return configuration.offlineAccess == .withConsent && signsIn ? .consent : .automatic
  }

  private var asksForConsent: Bool { prompt.rawValue.split(separator: " ").contains("consent") }

  /// Whether `offline_access` is asked for though no scope names it.
  private var addsOfflineAccess: Bool {
    provider.addsOfflineAccess && (configuration.offlineAccess != .withConsent || asksForConsent)
  }

  /// The advice where a provider refuses the request; `nil` where `offline_access` cannot be the reason.
  ///
  /// A provider may want consent with it (OpenID Connect Core 1.0 section 11), and show its refusal in the page alone.
  var offlineAccessAdvice: String? {
    let isAsked = tokenScopes.contains { $0.lowercased() == "offline_access" }
    guard isAsked, !provider.isMicrosoft, !asksForConsent else { return nil }
    return "The request asks for offline_access, which some providers grant with consent only: "
      + "set offlineAccess to withConsent, or to never."
  }

  /// The correlation id as far as the server knows it: only Microsoft's services are sent one.
  var sentCorrelationID: UUID? { provider.isMicrosoft ? correlationID : nil }

  /// The URL of the sign-in page for a redirect URI.
  func url(redirectURI: URL) throws(OAuthError) -> URL {
    do throws(AuthorityError) {
      return try Endpoints.appending(parameters(redirectURI: redirectURI), to: provider.authorizationEndpoint)
    } catch {
      throw OAuthError(error)
    }
  }

  private func parameters(redirectURI: URL) -> [(name: String, value: String)] {
    let consent = configuration.permitted(
      scopes + configuration.additionalScopes + options.extraScopesToConsent)
    var parameters: [(name: String, value: String)] = [
      ("client_id", configuration.clientID),
      ("response_type", "code"),
      ("redirect_uri", redirectURI.absoluteString),
      ("response_mode", "query"),
      ("scope", Scopes.forRequest(consent, offlineAccess: addsOfflineAccess).joined(separator: " ")),
      ("state", state.value),
      ("nonce", nonce.value),
      ("code_challenge", pkce.challenge),
      ("code_challenge_method", "S256"),
    ]
    if provider.isMicrosoft {
      // The only source of account ids as MSAL makes them.
      parameters.append(("client_info", "1"))
      parameters.append(("client-request-id", correlationID.uuidString.lowercased()))
    }
    let optional: [(String, String?)] = [
      ("prompt", prompt.rawValue),
      ("login_hint", options.loginHint ?? configuration.requiredUser),
      ("domain_hint", options.domainHint ?? policy?.domainHint),
      ("ui_locales", options.uiLocales.isEmpty ? nil : options.uiLocales.joined(separator: " ")),
      ("claims", options.claimsRequest),
    ]
    for (name, value) in optional {
      if let value, !value.isEmpty { parameters.append((name, value)) }
    }
    return parameters + extra
  }
}
