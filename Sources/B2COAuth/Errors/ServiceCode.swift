/// The meaning of an error response, and the table of the provider's own codes.
package struct ServiceCode {
  package let code: ErrorCode
  /// This package's description of the error, next to the provider's own words in `serverDescription`.
  package let meaning: String
  package var suggestion: String?
  /// Whether the same call may succeed later, or `nil` if the error code decides.
  package var isRetryable: Bool?
  /// Whether the refresh token that was sent will never work again.
  package var endsSession = false

  /// Returns the entry of a code, for example of `AADB2C90118`.
  package static func named(_ code: String) -> ServiceCode? { table[code] }

  /// The regular expression of a code: its family and one to nine digits.
  static let pattern = "AAD(B2C|STS)[0-9]{1,9}"

  /// The codes whose error message lists the scopes that were sent.
  static let aboutScopes: Set<String> = [
    "AADB2C90117", "AADB2C90146", "AADB2C90055", "AADB2C90010", "AADSTS70011", "AADSTS28000", "AADSTS650053",
    "AADSTS500011", "AADSTS50001", "AADSTS650057", "AADSTS650052", "AADSTS65005",
  ]

  private static let table: [String: ServiceCode] = {
    var table: [String: ServiceCode] = [:]
    func add(
      _ code: ErrorCode, _ names: String, _ meaning: String, _ suggestion: String? = nil, endsSession: Bool = false
    ) {
      let entry = ServiceCode(code: code, meaning: meaning, suggestion: suggestion, endsSession: endsSession)
      for name in names.split(separator: " ") { table[String(name)] = entry }
    }

    // Codes about the user.
    add(.passwordResetRequested, "AADB2C90118", "The user asked for a new password.", "Run the password-reset policy.")
    add(.userCancelledInPage, "AADB2C90091 AADSTS65004", "The user cancelled on the page, or declined to consent.")
    add(.accessDenied, "AADB2C99002", "The user does not exist.", "Let the user sign up first.")
    add(
      .accessDenied, "AADSTS50105", "The user is not assigned to the application.",
      "Assign the user to it in the portal, or sign in as another user with `prompt: .selectAccount`.")
    add(
      .accessDenied, "AADSTS50020 AADSTS90072", "The user's account does not belong to the tenant.",
      "Sign in as a user of the tenant (`prompt: .selectAccount`), or have the account added as a guest.")
    add(
      .accessDenied, "AADSTS90094 AADSTS90095 AADSTS90093", "Only an administrator can consent to the scopes.",
      "Have an administrator grant the app's permissions in the portal.")
    add(.userAlreadyExists, "AADB2C90001 AADB2C99001", "A user with that name already exists.", "Sign in instead.")
    add(
      .identityProviderFailed, "AADB2C90273 AADB2C90289 AADB2C90051 AADB2C90255 AADB2C90075",
      "The identity provider failed or sent an invalid response, often because its page was cancelled.")

    // Codes about the session.
    let again = "Sign in again."
    add(.interactionRequired, "AADB2C90077 AADSTS50058", "The browser has no session at the provider.", again)
    add(
      .interactionRequired, "AADB2C90080 AADSTS700082 AADSTS70008 AADSTS70043", "The session has expired.", again,
      endsSession: true)
    add(.interactionRequired, "AADB2C90129 AADSTS50173", "The session was revoked.", again, endsSession: true)
    add(.interactionRequired, "AADB2C90128", "The account no longer exists.", again, endsSession: true)
    add(.interactionRequired, "AADB2C90085", "The provider asks for a new sign-in.", again)
    add(
      .interactionRequired, "AADB2C90088", "The token belongs to another policy than the one that was asked.",
      "Sign in with the policy that the call names, or name the policy that signed the user in.")
    add(.interactionRequired, "AADSTS50076", "The provider asks for a second factor.", again)
    add(.interactionRequired, "AADSTS50079", "The user must set up a second factor.", again)
    add(.interactionRequired, "AADSTS65001", "The user has not consented.", "Sign in again and consent.")
    // `AADSTS53003` does not end the session, because Conditional Access depends on the network and the device, so a
    // later refresh may succeed.
    add(
      .interactionRequired, "AADSTS53003", "Conditional Access does not allow the sign-in.",
      "Sign in again as Conditional Access allows, or have an administrator check its conditions.")
    add(
      .interactionRequired, "AADSTS399266", "The code or refresh token was issued on another host of the tenant.",
      "Sign in again, and use one host for everything, either the custom URL domain or ciamlogin.com.")

    // Codes about the scopes.
    add(
      .configuration, "AADB2C90146 AADSTS28000", "The scopes belong to more than one API.",
      "Ask for the scopes of one API at a time.")
    add(
      .configuration, "AADB2C90117 AADSTS70011 AADSTS650053", "A scope is not offered.",
      "Publish the scope in the API's registration, or correct its name.")
    add(.configuration, "AADB2C90055", "A scope names no API.", "Write API scopes as `https://<tenant>/<api>/<scope>`.")
    add(
      .configuration, "AADSTS500011 AADSTS50001 AADSTS650052 AADSTS650057 AADSTS65005",
      "The API that a scope names is unknown in the tenant, or not registered for the app.",
      "Compare the scope with the API's registration, and add it to the app in the portal, under API permissions.")
    add(
      .configuration, "AADSTS90008", "The app lacks the permission to sign users in.",
      "Add the permission User.Read of Microsoft Graph to the app in the portal, under API permissions.")

    // Codes about the registration, the policy and the host.
    let registration = "Compare the settings with the app registration in the portal."
    add(
      .configuration, "AADB2C90006 AADB2C90007 AADB2C90287 AADSTS50011 AADSTS500113 AADSTS900971",
      "The redirect URI is not registered.", "Register the `redirectUri` of the settings exactly as it is.")
    add(
      .configuration, "AADSTS9002326 AADSTS9002327", "The redirect URI is registered as a single-page application's.",
      "Register it under `Mobile and desktop applications` in the portal.")
    add(
      .configuration, "AADSTS500210", "The authority names its tenant in a form that this user's account cannot use.",
      "In the authority, write the tenant's GUID instead of its domain, or its domain instead of its GUID.")
    add(
      .configuration, "AADSTS50194", "The app is registered for one tenant, and the authority names every tenant.",
      "Write the tenant's name or ID in the authority instead of `common`, or register the app for several tenants.")
    add(
      .configuration, "AADSTS90002 AADSTS900023 AADSTS900021", "The tenant in the authority does not exist.",
      "Compare the tenant in the authority with its name or ID in the portal.")
    add(
      .configuration, "AADB2C90018 AADB2C90068 AADB2C90285 AADSTS700016 AADSTS700038",
      "The client ID is not registered in this tenant.", registration)
    add(
      .configuration, "AADB2C90058 AADB2C90079 AADB2C90081 AADB2C90084 AADSTS7000218",
      "The app is registered as another type of client.", "Register it as a public (native) client.")
    add(
      .configuration, "AADB2C90092 AADB2C90284 AADB2C90205 AADSTS7000112",
      "The application is disabled or lacks consent.", registration)
    add(.configuration, "AADB2C90087 AADB2C90279", "The grant was made for another protocol version or client.")
    add(
      .configuration,
      "AADB2C90008 AADB2C90010 AADB2C90011 AADB2C90012 AADB2C90013 AADB2C90014 AADB2C90083 AADB2C90115 AADB2C99005",
      "The provider refused the request, its scopes or its client.", registration)
    add(.configuration, "AADB2C90043", "The provider does not support this `prompt`.", "Use another `prompt`.")
    add(
      .configuration, "AADB2C90086", "The provider does not support this kind of token request.",
      "Check that the policy and the authority are Azure AD B2C's, which has no device codes.")
    add(
      .configuration, "AADB2C90047", "A page of the policy cannot be loaded, because its template or script fails.",
      "Check the policy's page template, and that its server allows the provider's origin (CORS).")
    add(
      .configuration, "AADSTS500208", "This kind of account cannot sign in at this host.",
      "Write the External ID tenant's own host as the authority, for example https://contoso.ciamlogin.com/.")
    add(
      .configuration, "AADSTS399265", "The host is not a verified domain of the tenant.",
      "Verify the custom domain name in the portal, by its TXT record.")
    add(
      .configuration, "AADSTS399280", "The host is a verified domain of the tenant, and not a custom URL domain.",
      "Associate the domain name with a custom URL domain in the portal, under Domain names.")

    // Codes about the state of the provider.
    add(.throttled, "AADB2C90244", "The app sent too many requests.", "Wait, then try again.")
    add(
      .serviceUnavailable, "AADB2C90035 AADB2C90037 AADB2C90048 AADB2C90206",
      "The provider is temporarily unavailable.", "Try again later.")
    add(.server, "AADB2C90182 AADB2C90183 AADB2C90184 AADB2C99059", "The provider refused the proof key (PKCE).")
    return table
  }()
}
