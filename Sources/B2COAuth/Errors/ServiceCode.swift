/// The meaning of one of the service's own codes.
struct ServiceCode {
  let code: ErrorCode
  /// The event in our words; the server's words travel in ``ServerAnswer/description``.
  let meaning: String
  let suggestion: String?
  /// Whether the answer is definite: the refresh token it was sent with will never work again.
  let endsSession: Bool

  private init(
    _ code: ErrorCode, _ meaning: String, _ suggestion: String? = nil, endsSession: Bool = false
  ) {
    self.code = code
    self.meaning = meaning
    self.suggestion = suggestion
    self.endsSession = endsSession
  }

  /// The entry of a code as the service writes it, such as `AADB2C90118`.
  static func named(_ code: String) -> ServiceCode? { table[code] }

  /// A code as the service writes it.
  static var pattern: Regex<Substring> { /AAD(?:B2C|STS)[0-9]{1,9}/ }

  /// Codes whose error names the scopes that were sent.
  static let aboutScopes: Set<String> = [
    "AADB2C90117", "AADB2C90146", "AADB2C90055", "AADB2C90010", "AADSTS70011", "AADSTS28000", "AADSTS650053",
  ]

  private static let askAgain = "Sign in again."
  private static let checkRegistration = "Compare the settings with the app registration in the portal."

  private static let unknownClient = ServiceCode(
    .configuration, "The client ID is not registered in this tenant.",
    "Compare clientId and authority with the app registration in the portal.")
  private static let unknownRedirectURI = ServiceCode(
    .configuration, "The redirect URI is not registered.", "Register the settings' redirectUri exactly as it is.")
  private static let confidentialClient = ServiceCode(
    .configuration, "The app is registered as another type of client.", "Register it as a public (native) client.")

  private static let table: [String: ServiceCode] = {
    var table: [String: ServiceCode] = [
      "AADB2C90118": .init(
        .passwordResetRequested, "The user asked for a new password.", "Run the password-reset policy."),
      "AADB2C90091": .init(.userCancelledInPage, "The user cancelled in the page."),
      "AADB2C90273": .init(
        .identityProviderFailed, "The identity provider gave no valid answer; often its page was cancelled."),
      "AADB2C90077": .init(.interactionRequired, "There is no session at the server.", askAgain),
      "AADB2C90080": .init(.interactionRequired, "The session has expired.", askAgain, endsSession: true),
      "AADB2C90129": .init(.interactionRequired, "The session was revoked.", askAgain, endsSession: true),
      "AADB2C90128": .init(.interactionRequired, "The account no longer exists.", askAgain, endsSession: true),
      "AADB2C90085": .init(.interactionRequired, "The service asks for a new sign-in.", askAgain),
      "AADB2C90088": .init(
        .interactionRequired, "The token belongs to another policy than the one asked.",
        "Sign in with the policy that the call names, or name the policy that was signed in with."),
      "AADB2C90244": .init(.throttled, "Too many requests.", "Wait, then try again."),
      "AADB2C90001": .init(.userAlreadyExists, "A user of that name exists already.", "Sign in instead."),
      "AADB2C90146": .init(
        .configuration, "The scopes belong to more than one API.", "Ask for the scopes of one API at a time."),
      "AADB2C90117": .init(
        .configuration, "A scope is not offered.", "Publish the scope in the API's registration, or correct its name."),
      "AADB2C90055": .init(
        .configuration, "A scope names no API.", "Write API scopes as `https://<tenant>/<api>/<scope>`."),
      "AADB2C90043": .init(
        .configuration, "The service does not take this prompt.", "Use another prompt, or `.automatic`."),
      "AADB2C90047": .init(
        .configuration, "A page of the policy cannot be loaded, for its template or a script of it fails.",
        "Check the policy's page template, and that its server allows the service's origin (CORS)."),
      "AADB2C90086": .init(
        .configuration, "The service does not support this kind of token request.",
        "Check that the policy and the authority are Azure AD B2C's, which has no device codes."),
      "AADB2C90006": unknownRedirectURI,
      "AADSTS50011": unknownRedirectURI,
      "AADSTS500113": unknownRedirectURI,
      "AADSTS900971": unknownRedirectURI,
      "AADSTS700016": unknownClient,
      "AADSTS7000218": confidentialClient,
      "AADSTS28000": .init(
        .configuration, "The scopes belong to more than one API.", "Ask for the scopes of one API at a time."),
      "AADSTS70011": .init(
        .configuration, "A scope is not offered.", "Publish the scope in the API's registration, or correct its name."),
      "AADSTS650053": .init(
        .configuration, "A scope is not offered.", "Publish the scope in the API's registration, or correct its name."),
      "AADSTS50058": .init(.interactionRequired, "There is no session at the server.", askAgain),
      "AADSTS50076": .init(.interactionRequired, "The service asks for a second factor.", askAgain),
      "AADSTS50079": .init(.interactionRequired, "The user has to set up a second factor.", askAgain),
      "AADSTS65001": .init(.interactionRequired, "The user has not consented.", "Sign in again and consent."),
      "AADSTS700082": .init(.interactionRequired, "The session has expired.", askAgain, endsSession: true),
      "AADSTS70008": .init(.interactionRequired, "The session has expired.", askAgain, endsSession: true),
      "AADSTS50173": .init(.interactionRequired, "The session was revoked.", askAgain, endsSession: true),
      "AADSTS65004": .init(.userCancelledInPage, "The user declined to consent."),
      // What differs from here to there, such as the network or the device, may be right the next time.
      "AADSTS53003": .init(
        .interactionRequired, "Conditional Access does not allow it.",
        "Sign in again where the tenant's Conditional Access allows it, or have its conditions checked."),
      "AADSTS500208": .init(
        .configuration, "The host is not one where this kind of account signs in.",
        "Write the External ID tenant's own host as the authority, such as https://contoso.ciamlogin.com/."),
      "AADSTS399265": .init(
        .configuration, "The host is not a verified domain of the tenant.",
        "Verify the custom domain name in the portal, by its TXT record."),
      "AADSTS399266": .init(
        .interactionRequired, "The code or refresh token was issued on another host of the tenant.",
        "Sign in again, and use one host for all: the custom URL domain or ciamlogin.com."),
      "AADSTS399280": .init(
        .configuration, "The host is a verified domain of the tenant, and not a custom URL domain.",
        "Associate the domain name with a custom URL domain in the portal, under Domain names."),
    ]
    func add(_ codes: [Int], _ entry: ServiceCode) {
      for code in codes { table["AADB2C\(code)"] = entry }
    }
    add(
      [90289, 90051, 90255, 90075], .init(.identityProviderFailed, "The identity provider or a step behind it failed."))
    add([90087, 90279], .init(.configuration, "The grant was made for another protocol version or client."))
    add([90182, 90183, 90184, 99059], .init(.server, "The service refused the proof key (PKCE)."))
    add(
      [90007, 90287],
      .init(.configuration, "The redirect URI is refused.", checkRegistration))
    add([90018, 90068, 90285], unknownClient)
    add(
      [90008, 90010, 90011, 90012, 90013, 90014, 90083, 90115, 99005],
      .init(.configuration, "The service refused the request, its scopes or its client.", checkRegistration))
    add([90058, 90079, 90081, 90084], confidentialClient)
    add(
      [90092, 90284, 90205], .init(.configuration, "The application is disabled or lacks consent.", checkRegistration))
    add(
      [90035, 90037, 90048, 90206],
      .init(.serviceUnavailable, "The service is temporarily unavailable.", "Try again later."))
    return table
  }()
}
