import B2CSettings
import Foundation
import Testing

@Suite struct SettingsReaderWarningsTests {
  private static let registerAdvice = "Register a redirect URI for the app, for example com.contoso.tasks:/redirect."
  private static let schemeAdvice =
    "Use your domain name, reversed, as the scheme, for example com.contoso.tasks:/redirect."
  private static let secretAdvice = "Remove it, and register the app as a public client."
  private static let unusedAdvice = "Remove it if it is not used."
  private static let retired = "https://contoso.b2clogin.com/contoso.onmicrosoft.com/"

  static let mistakes: [Mistake] = [
    .string("authority", "https://login.microsoftonline.com/contoso.onmicrosoft.com/", .retiredAuthority, retired),
    .string("redirectUri", "https://jwt.ms", .foreignRedirectURI, registerAdvice),
    .string(
      "redirectUri", "https://login.microsoftonline.com/common/oauth2/nativeclient", .foreignRedirectURI,
      registerAdvice),
    scope("https://graph.microsoft.com/User.Read"), scope("User.Read"), scope("tasks.read"),
    .string("redirectUri", "urn:ietf:wg:oauth:2.0:oob", .outOfBandRedirectURI, registerAdvice),
    .string("redirectUri", "tasks://redirect", .ambiguousRedirectScheme, schemeAdvice),
    .string("redirectUri", "myapp://auth", .ambiguousRedirectScheme, schemeAdvice),
    .string("redirectUri", "com.example.app:callback", .redirectURIWithoutSlash, "com.example.app:/callback"),
    .string("redirectUri", "COM.example.app:auth/callback", .redirectURIWithoutSlash, "COM.example.app:/auth/callback"),
    .string("redirectUri", "com.example.app:", .redirectURIWithoutSlash, "com.example.app:/"),
    Mistake(
      "emailSignInPolicyId", nil, at: "authority", .noPolicy,
      "Add emailSignInPolicyId or policies, unless your app passes a policy to each sign-in."),
    Mistake(
      "authority", "<string>https://contoso.ciamlogin.com/</string>", .unexpectedPolicy,
      "Remove the policies, or write the authority of an Azure AD B2C tenant."),
    .string("resourceString", "x", .unknownKey, unusedAdvice),
    .string("policyName", "none", .unusedName, "Add the key policyID, or remove this key."),
    .string("correlationID", "", .unknownKey, "correlationId"),
    .string("facebookSigninPolicyId", "B2C_1_F", .unknownKey, "faceBookSignInPolicyId"),
    // Okta's, Auth0's and Microsoft's names.
    .string("issuer", "https://contoso.okta.com", .unknownKey, "authority"),
    .string("Domain", "contoso.eu.auth0.com", .unknownKey, "authority"),
    .string("kTenantName", "contoso.onmicrosoft.com", .unknownKey, "authority"),
    .string("ResetPasswordPolicyId", "B2C_1_R", .unknownKey, "policies"),
    .string("EditProfilePolicyId", "B2C_1_E", .unknownKey, "policies"),
    .string("kResetPasswordPolicy", "B2C_1_R", .unknownKey, "policies"),
    .string("CFBundleIdentifier", "com.contoso", .unknownKey, unusedAdvice),
    .string("signInPolicy", "B2C_1_S", .unknownKey, "emailSignInPolicyId"),
    .string("sign_up_policy", "B2C_1_S", .unknownKey, "emailSignUpPolicyId"),
    .string("facebookPolicy", "B2C_1_F", .unknownKey, "faceBookSignInPolicyId"),
    .string("SignUpSignInPolicyId", "B2C_1_S", .unknownKey, "policies"),
    .string("kSignupOrSigninPolicy", "B2C_1_S", .unknownKey, "policies"),
    .string("signUpOrSignIn_UserFlow", "B2C_1_S", .unknownKey, "policies"),
    .string("kClientID", "7bf688ce-8139-4ca8-9391-02fdb6f86d67", .unknownKey, "clientId"),
    .string("tenant_id", "contoso", .unknownKey, "authority"),
    .string("callbackUrl", "com.contoso.tasks:/redirect", .unknownKey, "redirectUri"),
    .string("clientSecret", "abc", .clientSecret, secretAdvice),
    .string("password", "abc", .clientSecret, secretAdvice),
    Mistake(
      "policies", "<array><string>b2c_1_signin</string></array>", at: "policies[0]", .duplicatePolicy,
      "Remove one of them."),
    policyMember("Name", "name"),
    // Two letters of a short key may differ, three may not.
    policyMember("nmae", "name"), policyMember("nxyz", unusedAdvice),
  ]

  private static func policyMember(_ key: String, _ suggestion: String) -> Mistake {
    Mistake(
      "policies",
      "<array><dict><key>id</key><string>B2C_1_x</string><key>\(key)</key><string>X</string></dict></array>",
      at: "policies[0].\(key)", .unknownKey, suggestion)
  }

  private static func scope(_ text: String) -> Mistake {
    Mistake(
      "scopes", "<array><string>https://contoso/read</string><string>\(text)</string></array>", at: "scopes[1]",
      .foreignScope,
      "List the scopes of your API, for example https://contoso.onmicrosoft.com/tasks/read.")
  }

  @Test("Each is the only warning", arguments: mistakes)
  func answer(_ mistake: Mistake) throws {
    let settings = try Samples.settings([mistake.key: mistake.value])
    #expect(settings.warnings.count == 1, "\(settings.warnings)")
    let warning = try #require(settings.warnings.first)
    #expect(warning.keyPath == mistake.keyPath)
    #expect(warning.fault == mistake.fault)
    #expect(warning.answer == mistake.suggestion)
  }

  @Test("A client ID is judged when the authority is known: other services' ids are no GUIDs")
  func otherService() throws {
    let clientID = "<string>0oab8eb55Kb9jdMIr5d6</string>"
    let files = [
      Samples.plist([
        "authority": nil, "issuer": "<string>https://contoso.okta.com</string>", "clientId": clientID,
      ]),
      Samples.plist([
        "authority": "<string>contoso.eu.auth0.com</string>", "clientId": clientID, "emailSignInPolicyId": nil,
      ]),
    ]
    for file in files {
      let error = try #require(failure(of: file))
      #expect(error.problems.map(\.keyPath) == ["authority"])
    }
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
      "authority": "<string>https://issuer.example/realms/one</string>",
      "authorityKind": "<string>openIDConnect</string>", "scopes": "<array>\(list)</array>",
      "emailSignInPolicyId": nil, "taskWebAPI": hasAPI ? "<string>https://api.contoso.com/tasks</string>" : nil,
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

  @Test("The retired host without a policy is Entra ID and alive")
  func entra() throws {
    let settings = try Samples.settings([
      "authority": "<string>https://login.microsoftonline.com/common</string>", "emailSignInPolicyId": nil,
      "scopes": "<array><string>User.Read</string></array>", "taskWebAPI": nil,
    ])
    #expect(settings.warnings.isEmpty)
  }

  @Test(
    "A required user is an object ID where accounts of any tenant sign in, because every tenant can choose names",
    arguments: [
      ("common", "ada@example.com", true), ("Organizations", "ada@example.com", true), ("consumers", "+4917000", true),
      ("common/v2.0", "ada", true), ("common", "7bf688ce-8139-4ca8-9391-02fdb6f86d67", false),
      ("common", " ", false),
      ("contoso.onmicrosoft.com", "ada@example.com", false),
      ("7bf688ce-8139-4ca8-9391-02fdb6f86d67", "ada@example.com", false),
    ])
  func requiredUser(_ tenant: String, _ userID: String, _ isWarned: Bool) throws {
    var settings = try Samples.settings([
      "authority": "<string>https://login.microsoftonline.com/\(tenant)</string>", "emailSignInPolicyId": nil,
      "scopes": "<array><string>User.Read</string></array>", "userId": "<string>\(userID)</string>",
    ])
    #expect(settings.warnings.map(\.keyPath) == (isWarned ? ["userId"] : []))
    #expect(settings.warnings.allSatisfy { $0.recoverySuggestion?.contains("object ID") == true })
    settings.userID = settings.userID?.uppercased()
    #expect(try settings.validate().map(\.keyPath) == (isWarned ? ["userId"] : []))
  }

  @Test("An unknown key that may hold a secret does not show it")
  func secret() throws {
    let settings = try Samples.settings([
      "clientSecret": "<string>hunter2</string>", "apiKey": "<string>hunter2</string>",
    ])
    #expect(settings.warnings.count == 2)
    #expect(!"\(settings.warnings)".contains("hunter2"))
  }

  @Test(
    "Redirect URIs that need no remark",
    arguments: [
      "https://contoso.com/redirect", "http://localhost", "http://localhost:8400/", "http://127.0.0.1/cb",
      "http://[::1]:1234/cb", "com.contoso.tasks:/redirect", "com.contoso.tasks://redirect/path",
      "msauth.com.contoso.tasks://auth", "msal7bf688ce-8139-4ca8-9391-02fdb6f86d67://auth",
    ])
  func redirectURI(_ text: String) throws {
    let settings = try Samples.settings(["redirectUri": "<string> \(text)\n</string>"])
    #expect(settings.warnings.isEmpty)
    #expect(settings.redirectURI.absoluteString == text)
  }

  @Test("Other providers give out client IDs that are no GUIDs")
  func openIDConnect() throws {
    let settings = try Samples.settings([
      "authority": "<string>https://issuer.example/realms/one</string>", "clientId": "<string>tasks-app</string>",
      "emailSignInPolicyId": nil,
    ])
    #expect(settings.clientID == "tasks-app")
    #expect(settings.warnings.isEmpty)
  }
}
