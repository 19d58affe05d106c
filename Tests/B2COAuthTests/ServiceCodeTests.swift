import B2COAuth
import B2CTestKit
import Foundation
import TestSupport
import Testing

/// Table of `ServiceCode.named(_:)`, with the message of each code.
@Suite("The provider's own codes")
struct ServiceCodeTests {
  static let table = """
    AADB2C90118 | passwordResetRequested: The user asked for a new password. Run the password-reset policy.
    AADB2C90091 AADSTS65004 | userCancelledInPage: The user cancelled on the page, or declined to consent.
    AADB2C99002 | accessDenied: The user does not exist. Let the user sign up first.
    AADSTS50105 | accessDenied: The user is not assigned to the application. Assign the user to it in the portal, or sign in as another user with `prompt: .selectAccount`.
    AADSTS50020 AADSTS90072 | accessDenied: The user's account does not belong to the tenant. Sign in as a user of the tenant (`prompt: .selectAccount`), or have the account added as a guest.
    AADSTS90094 AADSTS90095 AADSTS90093 | accessDenied: Only an administrator can consent to the scopes. Have an administrator grant the app's permissions in the portal.
    AADB2C90001 AADB2C99001 | userAlreadyExists: A user with that name already exists. Sign in instead.
    AADB2C90273 AADB2C90289 AADB2C90051 AADB2C90255 AADB2C90075 | identityProviderFailed: The identity provider failed or sent an invalid response, often because its page was cancelled.
    AADB2C90077 AADSTS50058 | interactionRequired: The browser has no session at the provider. Sign in again.
    AADB2C90080 AADSTS700082 AADSTS70008 AADSTS70043 | interactionRequired: The session has expired. Sign in again. (ends the session)
    AADB2C90129 AADSTS50173 | interactionRequired: The session was revoked. Sign in again. (ends the session)
    AADB2C90128 | interactionRequired: The account no longer exists. Sign in again. (ends the session)
    AADB2C90085 | interactionRequired: The provider asks for a new sign-in. Sign in again.
    AADB2C90088 | interactionRequired: The token belongs to another policy than the one that was asked. Sign in with the policy that the call names, or name the policy that signed the user in.
    AADSTS50076 | interactionRequired: The provider asks for a second factor. Sign in again.
    AADSTS50079 | interactionRequired: The user must set up a second factor. Sign in again.
    AADSTS65001 | interactionRequired: The user has not consented. Sign in again and consent.
    AADSTS53003 | interactionRequired: Conditional Access does not allow the sign-in. Sign in again as Conditional Access allows, or have an administrator check its conditions.
    AADSTS399266 | interactionRequired: The code or refresh token was issued on another host of the tenant. Sign in again, and use one host for everything, either the custom URL domain or ciamlogin.com.
    AADB2C90146 AADSTS28000 | configuration: The scopes belong to more than one API. Ask for the scopes of one API at a time.
    AADB2C90117 AADSTS70011 AADSTS650053 | configuration: A scope is not offered. Publish the scope in the API's registration, or correct its name.
    AADB2C90055 | configuration: A scope names no API. Write API scopes as `https://<tenant>/<api>/<scope>`.
    AADSTS500011 AADSTS50001 AADSTS650052 AADSTS650057 AADSTS65005 | configuration: The API that a scope names is unknown in the tenant, or not registered for the app. Compare the scope with the API's registration, and add it to the app in the portal, under API permissions.
    AADSTS90008 | configuration: The app lacks the permission to sign users in. Add the permission User.Read of Microsoft Graph to the app in the portal, under API permissions.
    AADB2C90006 AADB2C90007 AADB2C90287 AADSTS50011 AADSTS500113 AADSTS900971 | configuration: The redirect URI is not registered. Register the `redirectUri` of the settings exactly as it is.
    AADSTS9002326 AADSTS9002327 | configuration: The redirect URI is registered as a single-page application's. Register it under `Mobile and desktop applications` in the portal.
    AADSTS500210 | configuration: The authority names its tenant in a form that this user's account cannot use. In the authority, write the tenant's GUID instead of its domain, or its domain instead of its GUID.
    AADSTS50194 | configuration: The app is registered for one tenant, and the authority names every tenant. Write the tenant's name or ID in the authority instead of `common`, or register the app for several tenants.
    AADSTS90002 AADSTS900023 AADSTS900021 | configuration: The tenant in the authority does not exist. Compare the tenant in the authority with its name or ID in the portal.
    AADB2C90018 AADB2C90068 AADB2C90285 AADSTS700016 AADSTS700038 | configuration: The client ID is not registered in this tenant. Compare the settings with the app registration in the portal.
    AADB2C90058 AADB2C90079 AADB2C90081 AADB2C90084 AADSTS7000218 | configuration: The app is registered as another type of client. Register it as a public (native) client.
    AADB2C90092 AADB2C90284 AADB2C90205 AADSTS7000112 | configuration: The application is disabled or lacks consent. Compare the settings with the app registration in the portal.
    AADB2C90087 AADB2C90279 | configuration: The grant was made for another protocol version or client.
    AADB2C90008 AADB2C90010 AADB2C90011 AADB2C90012 AADB2C90013 AADB2C90014 AADB2C90083 AADB2C90115 AADB2C99005 | configuration: The provider refused the request, its scopes or its client. Compare the settings with the app registration in the portal.
    AADB2C90043 | configuration: The provider does not support this `prompt`. Use another `prompt`.
    AADB2C90086 | configuration: The provider does not support this kind of token request. Check that the policy and the authority are Azure AD B2C's, which has no device codes.
    AADB2C90047 | configuration: A page of the policy cannot be loaded, because its template or script fails. Check the policy's page template, and that its server allows the provider's origin (CORS).
    AADSTS500208 | configuration: This kind of account cannot sign in at this host. Write the External ID tenant's own host as the authority, for example https://contoso.ciamlogin.com/.
    AADSTS399265 | configuration: The host is not a verified domain of the tenant. Verify the custom domain name in the portal, by its TXT record.
    AADSTS399280 | configuration: The host is a verified domain of the tenant, and not a custom URL domain. Associate the domain name with a custom URL domain in the portal, under Domain names.
    AADB2C90244 | throttled: The app sent too many requests. Wait, then try again.
    AADB2C90035 AADB2C90037 AADB2C90048 AADB2C90206 | serviceUnavailable: The provider is temporarily unavailable. Try again later.
    AADB2C90182 AADB2C90183 AADB2C90184 AADB2C99059 | server: The provider refused the proof key (PKCE).
    """

  /// The codes of a row, and its text.
  private static let rows = table.split(separator: "\n").map { row in
    let parts = row.split(separator: " | ").map(String.init)
    return (codes: parts[0].split(separator: " ").map(String.init), text: parts[1])
  }

  /// Every code that has an entry: five digits after AADB2C, and five to seven after AADSTS.
  static let known: Set<String> = {
    let numbers = [
      ("AADB2C", [10_000..<100_000]), ("AADSTS", [10_000..<1_000_000, 7_000_000..<7_010_000, 9_002_000..<9_003_000]),
    ]
    let all = numbers.flatMap { family, ranges in ranges.joined().lazy.map { "\(family)\($0)" } }
    return Set(all.filter { ServiceCode.named($0) != nil })
  }()

  @Test("Each code has its message")
  func messages() throws {
    for (codes, text) in Self.rows {
      for code in codes {
        let entry = try #require(ServiceCode.named(code), "\(code)")
        let shown = ["\(entry.code.rawValue): \(entry.meaning)", entry.suggestion].compactMap(\.self)
        #expect(shown.joined(separator: " ") + (entry.endsSession ? " (ends the session)" : "") == text, "\(code)")
      }
    }
    #expect(Set(Self.rows.flatMap(\.codes)) == Self.known)
  }

  @Test("A code counts whatever error it comes with, in a callback, for a code and for a refresh")
  func everywhere() throws {
    let id = "01020304-0506-4708-890a-0b0c0d0e0f10"
    for code in Self.known.sorted() + ["AADB2C99999"] {
      let said =
        "\(code): The user has done something else.\r\nCorrelation ID: \(id)\r\nTimestamp: 2026-01-01 00:00:00Z\r\n"
      let service: Authority.Kind = code.hasPrefix("AADB2C") ? .b2c : .ciam
      let (entry, policy) = (ServiceCode.named(code), service == .b2c ? try Policy("B2C_1_SignIn") : nil)
      for error in ["access_denied", "invalid_grant"] {
        let fields = ["error": error, "error_description": said]
        let (body, response) = try LocalResponse(status: 400, body: try JSONEncoder().encode(fields))
          .answer(to: URL(filePath: "/"))
        let answers = [
          ErrorResponse(callback: { fields[$0] }, at: service, hiding: []),
          ErrorResponse(body, response, to: .code, at: service, hiding: []),
          ErrorResponse(body, response, to: .refresh(addsClaims: false), at: service, hiding: []),
        ]
        for (index, answer) in answers.enumerated() {
          let error = answer.asError(scopes: ["openid"], policy: policy, correlationID: UUID(uuidString: id))
            .about(try url("https://contoso.example/token"), method: "POST")
          #expect(error.serverCode == code && error.correlationID != nil)
          #expect(error.endsSession == (index == 2 && entry?.endsSession == true), "\(error)")
          #expect(error.message.hasPrefix(entry?.meaning ?? "The provider refused with"), "\(error)")
          if let entry { #expect(error.code == entry.code && error.recoverySuggestion == entry.suggestion, "\(error)") }
          #expect(errorTextFaults(error) == [], "\(error)")
        }
      }
    }
  }

  // MARK: The guide

  /// The paragraph of the guide that says what ends a session.
  private func paragraph() throws -> String {
    let root = (0..<3).reduce(URL(filePath: #filePath)) { path, _ in path.deletingLastPathComponent() }
    let guide = try String(contentsOf: root.appending(path: "Docs/ErrorCodes.md"), encoding: .utf8)
    return try #require(guide.components(separatedBy: "## Codes of the service").last)
  }

  @Test("The guide lists exactly the codes that end a session")
  func documentedEnds() throws {
    let ending = Self.known.filter { ServiceCode.named($0)?.endsSession == true }
    let sentence = try #require(try paragraph().firstMatch(of: /end a session: ([^`]*) and/)?.output.1)
    var family = ""
    let listed = sentence.matches(of: /(AADB2C|AADSTS)?([0-9]{4,6})/).map { match in
      family = match.output.1.map(String.init) ?? family
      return family + match.output.2
    }
    #expect(listed.sorted() == ending.sorted())
  }

  @Test("The guide lists exactly the errors of a refresh that end no session at other providers")
  func documentedErrors() throws {
    let list = try #require(try paragraph().firstMatch(of: /names the app or the scopes \(([^)]*)\)/)?.output.1)
    let listed = Set(list.matches(of: /`([a-z_]+)`/).map { String($0.output.1) })
    for status in [400, 401, 403] {
      let kept = try ErrorResponseTests.registered.filter {
        let (body, response) = try LocalResponse(status: status, body: Data(#"{"error":"\#($0)"}"#.utf8))
          .answer(to: URL(filePath: "/"))
        return !ErrorResponse(
          body, response, to: .refresh(addsClaims: false), at: .openIDConnect, hiding: []
        ).asError().endsSession
      }
      #expect(Set(kept) == listed, "\(status)")
    }
  }
}
