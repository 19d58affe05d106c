/// The keys of a settings file: the one table of their names and of what belongs into them.
enum SettingsKey: String, CaseIterable {
  case authority
  case authorityKind
  case trustedHosts
  case clientID = "clientId"
  case scopes
  case additionalScopes
  case redirectURI = "redirectUri"
  case taskWebAPI
  case emailSignUp = "emailSignUpPolicyId"
  case facebookSignIn = "faceBookSignInPolicyId"
  case emailSignIn = "emailSignInPolicyId"
  case policies
  case policyName
  case policyID
  case fullScreen
  case showClaims
  case correlationID = "correlationId"
  case userID = "userId"
  /// Of version 1 of the protocol, which knew no scopes.
  case resource = "resourceString"

  /// The key that a key path begins with.
  static func first(of keyPath: String) -> SettingsKey? {
    SettingsKey(rawValue: String(keyPath.prefix { $0 != "." && $0 != "[" }))
  }

  /// What to write, for a key that is missing or not filled in.
  var advice: String {
    switch self {
    case .authority: "Write your tenant's address, such as https://contoso.b2clogin.com/contoso.onmicrosoft.com/."
    case .authorityKind: "Write b2c, ciam, entra or openIDConnect, or remove the key."
    case .trustedHosts: "List host names, or remove the key."
    case .clientID: "Write the application (client) ID of your app's registration in the portal; it is a GUID."
    case .scopes: "List the scopes of your API, such as https://contoso.onmicrosoft.com/tasks/read, or your client ID."
    case .additionalScopes: "List further scopes, or remove the key."
    case .redirectURI:
      "Write the redirect URI of your app's registration, such as com.contoso.tasks:/redirect or http://localhost:8400/."
    case .taskWebAPI: "Write the https URL of the list of tasks, or remove the key."
    case .emailSignUp, .facebookSignIn, .emailSignIn, .policyID:
      "Write the id of the policy (user flow) from the portal, such as B2C_1_SignIn, or remove the key."
    case .policies: "List policy ids, or name them by what they do: signIn, passwordReset and the like."
    case .policyName: "Write a name to show, or remove the key."
    case .fullScreen, .showClaims: "Write true or false."
    case .correlationID: "Write a UUID, or remove the key."
    case .userID: "Write the email, user name or object id of the only user who may sign in, or remove the key."
    case .resource: "Remove the key."
    }
  }
}
