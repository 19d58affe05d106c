import B2CSettings
import Foundation
import Testing

@Suite struct SettingsReaderWarningsTests {
  private static let retired = "https://contoso.b2clogin.com/contoso.onmicrosoft.com/"

  static let values: [Mistake] = [
    Mistake("authority", "https://login.microsoftonline.com/contoso.onmicrosoft.com/", is: .retiredAuthority, retired),
    Mistake(
      "redirectUri", "https://jwt.ms", "https://login.microsoftonline.com/common/oauth2/nativeclient",
      is: .foreignRedirectURI),
    Mistake("redirectUri", "urn:ietf:wg:oauth:2.0:oob", is: .outOfBandRedirectURI),
    Mistake("redirectUri", "tasks://redirect", "myapp://auth", is: .ambiguousRedirectScheme),
    Mistake("redirectUri", "com.example.app:callback", is: .redirectURIWithoutSlash, "com.example.app:/callback"),
    Mistake("redirectUri", "COM.example.app:a/b", is: .redirectURIWithoutSlash, "COM.example.app:/a/b"),
    Mistake("redirectUri", "com.example.app:", is: .redirectURIWithoutSlash, "com.example.app:/"),
    scope("https://graph.microsoft.com/User.Read"), scope("User.Read"), scope("tasks.read"),
    Mistake("emailSignInPolicyId", nil, at: "authority", is: .noPolicy),
    Mistake("authority", "https://contoso.ciamlogin.com/", is: .unexpectedPolicy),
    Mistake("policyName", "none", is: .unusedName),
    Mistake("policies", "<array><string>b2c_1_signin</string></array>", at: "policies[0]", is: .duplicatePolicy),
    Mistake("correlationID", "", is: .unknownKey, "correlationId"),
    policyMember("Name", "name"),
    // Two letters of a short key may differ, three may not.
    policyMember("nmae", "name"), policyMember("nxyz", nil),
  ]

  private static func policyMember(_ key: String, _ answer: String?) -> Mistake {
    Mistake(
      "policies",
      "<array><dict><key>id</key><string>B2C_1_x</string><key>\(key)</key><string>X</string></dict></array>",
      at: "policies[0].\(key)", is: .unknownKey, answer)
  }

  private static func scope(_ text: String) -> Mistake {
    Mistake(
      "scopes", "<array><string>https://contoso/read</string><string>\(text)</string></array>", at: "scopes[1]",
      is: .foreignScope)
  }

  /// Keys that are unknown, by the keys that are meant.
  static let keys: [Mistake] = [
    (nil, ["resourceString", "CFBundleIdentifier"]),
    ("faceBookSignInPolicyId", ["facebookSigninPolicyId", "facebookPolicy"]),
    // Okta's, Auth0's and Microsoft's names.
    ("authority", ["issuer", "Domain", "kTenantName", "tenant_id"]), ("clientId", ["kClientID"]),
    ("redirectUri", ["callbackUrl"]), ("emailSignInPolicyId", ["signInPolicy"]),
    ("emailSignUpPolicyId", ["sign_up_policy"]),
    (
      "policies",
      [
        "ResetPasswordPolicyId", "EditProfilePolicyId", "kResetPasswordPolicy", "SignUpSignInPolicyId",
        "kSignupOrSigninPolicy", "signUpOrSignIn_UserFlow",
      ]
    ),
  ].flatMap { answer, keys in keys.map { Mistake($0, "B2C_1_x", is: .unknownKey, answer) } }

  static let secrets = ["clientSecret", "password"].map { Mistake($0, "abc", is: .clientSecret) }

  @Test("Each is the only warning", arguments: values + keys + secrets)
  func answer(_ mistake: Mistake) throws {
    for value in mistake.values { mistake.check(try Samples.settings([mistake.key: value]).warnings, of: value) }
  }

  @Test("A client ID is judged when the authority is known: other services' ids are no GUIDs")
  func otherService() throws {
    let clientID = "0oab8eb55Kb9jdMIr5d6"
    let files = [
      Samples.plist(["authority": nil, "issuer": "https://contoso.okta.com", "clientId": clientID]),
      Samples.plist(["authority": "contoso.eu.auth0.com", "clientId": clientID, "emailSignInPolicyId": nil]),
    ]
    for file in files { #expect(failure(of: file)?.problems.map(\.keyPath) == ["authority"]) }
    let settings = try Samples.settings([
      "authority": "https://issuer.example/realms/one", "clientId": clientID, "emailSignInPolicyId": nil,
    ])
    #expect(settings.clientID == clientID && settings.warnings.isEmpty)
  }

  @Test("Scopes that name no API matter less when there is no API")
  func noAPIScope() throws {
    let settings = try Samples.settings(["scopes": "<array><string>openid</string></array>", "taskWebAPI": nil])
    #expect(settings.warnings.map(\.fault) == [.noAPIScope])
    #expect(settings.warnings.first?.answer == "7bf688ce-8139-4ca8-9391-02fdb6f86d67")
  }

  @Test(
    "A plain issuer gives access tokens for reserved names too, so there is nothing to say",
    arguments: ["openid", "openid profile email", "openid offline_access", ""], [true, false])
  func reservedScopesOfAnIssuer(_ scopes: String, hasAPI: Bool) throws {
    let list = scopes.split(separator: " ").map { "<string>\($0)</string>" }.joined()
    let settings = try Samples.settings([
      "authority": "https://issuer.example/realms/one", "authorityKind": "openIDConnect",
      "scopes": "<array>\(list)</array>", "emailSignInPolicyId": nil,
      "taskWebAPI": hasAPI ? "https://api.contoso.com/tasks" : nil,
    ])
    #expect(settings.warnings.isEmpty, "\(settings.warnings)")
    #expect(try settings.validate().isEmpty)
  }

  @Test("A scope of the API may be among the additional ones, and be the app's own ID")
  func ownScope() throws {
    let settings = try Samples.settings([
      "scopes": "<array><string>openid</string></array>",
      "additionalScopes": "<array><string>7bf688ce-8139-4ca8-9391-02fdb6f86d67</string></array>",
    ])
    #expect(settings.warnings.isEmpty)
  }

  @Test(
    "A required user is an object ID where accounts of any tenant sign in, because every tenant can choose names",
    arguments: [
      ("common", "ada@example.com", true), ("Organizations", "ada@example.com", true), ("consumers", "+4917000", true),
      ("common/v2.0", "ada", true), ("common", "7bf688ce-8139-4ca8-9391-02fdb6f86d67", false),
      ("common", " ", false), ("contoso.onmicrosoft.com", "ada@example.com", false),
      ("7bf688ce-8139-4ca8-9391-02fdb6f86d67", "ada@example.com", false),
    ])
  func requiredUser(_ tenant: String, _ userID: String, _ isWarned: Bool) throws {
    var settings = try Samples.settings([
      "authority": "https://login.microsoftonline.com/\(tenant)", "emailSignInPolicyId": nil, "userId": userID,
      "scopes": "<array><string>User.Read</string></array>",
    ])
    #expect(settings.warnings.map(\.keyPath) == (isWarned ? ["userId"] : []))
    #expect(settings.warnings.allSatisfy { $0.recoverySuggestion?.contains("object ID") == true })
    settings.userID = settings.userID?.uppercased()
    #expect(try settings.validate().map(\.keyPath) == (isWarned ? ["userId"] : []))
  }

  @Test(
    "Redirect URIs that need no remark",
    arguments: [
      "https://contoso.com/redirect", "http://localhost", "http://localhost:8400/", "http://127.0.0.1/cb",
      "http://[::1]:1234/cb", "com.contoso.tasks:/redirect", "com.contoso.tasks://redirect/path",
      "msauth.com.contoso.tasks://auth", "msal7bf688ce-8139-4ca8-9391-02fdb6f86d67://auth",
    ])
  func redirectURI(_ text: String) throws {
    let settings = try Samples.settings(["redirectUri": " \(text)\n"])
    #expect(settings.warnings.isEmpty)
    #expect(settings.redirectURI.absoluteString == text)
  }
}
