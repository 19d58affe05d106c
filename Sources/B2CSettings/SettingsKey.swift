import B2CAuthority
import B2CCore

/// The keys of a settings file: the only table of their names and contents.
enum SettingsKey: String, CaseIterable {
  case authority
  case authorityKind
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

  /// Returns what to write, for a key that is missing or not filled in.
  ///
  /// - Parameter isGeneric: Whether the authority is a generic issuer, which has its own words.
  /// - Returns: A sentence.
  func recovery(isGeneric: Bool) -> String {
    switch self {
    case .authority: "Write your tenant's address, such as https://contoso.b2clogin.com/contoso.onmicrosoft.com/."
    case .authorityKind: "Write b2c, ciam, entra or openIDConnect, or remove the key."
    case .clientID:
      isGeneric
        ? "Write the client ID of your app's registration."
        : "Write the application (client) ID of your app's registration in the portal; it is a GUID."
    case .scopes:
      isGeneric
        ? "List the scopes of your API, as its documentation names them."
        : "List the scopes of your API, such as https://contoso.onmicrosoft.com/tasks/read, or your client ID."
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

/// The names of policy kinds in a settings file.
enum PolicyKindName {
  private static let kinds: [Policy.Kind] = [
    .signUp, .signIn, .signUpOrSignIn, .profileEdit, .passwordReset, .federatedSignIn,
  ]
  private static let aliases: [String: Policy.Kind] = [
    "susi": .signUpOrSignIn, "signupsignin": .signUpOrSignIn, "editprofile": .profileEdit, "profile": .profileEdit,
    "resetpassword": .passwordReset, "federated": .federatedSignIn,
  ]

  /// Returns the kind of a name, ignoring case, hyphens and underscores.
  static func kind(_ name: String) -> Policy.Kind? {
    let folded = name.lowercased().filter { $0 != "_" && $0 != "-" && $0 != " " }
    return kinds.first { $0.rawValue.lowercased() == folded } ?? aliases[folded]
  }

  /// Returns the name that was probably meant.
  static func nearest(_ name: String) -> String? { name.nearest(among: kinds.map(\.rawValue)) }
}

extension GUID {
  /// Returns the GUID in braces or quotation marks, after a scheme, or without its hyphens.
  static func corrected(_ text: String) -> String? {
    let body = text.split(whereSeparator: { "{}()[]\"'“”:/ ".contains($0) }).last.map(String.init) ?? ""
    if isGUID(body) { return body == text ? nil : body }
    guard body.utf8.count == 32 else { return nil }
    let hyphenated = body.enumerated().map { [8, 12, 16, 20].contains($0) ? "-\($1)" : "\($1)" }.joined()
    return isGUID(hyphenated) ? hyphenated : nil
  }
}

extension String {
  /// The text without spaces and invisible characters around it, which come along when a value is pasted.
  var trimmed: String {
    let scalars = unicodeScalars
    guard let first = scalars.firstIndex(where: { !Self.isSpace($0) }),
      let last = scalars.lastIndex(where: { !Self.isSpace($0) })
    else { return "" }
    return String(scalars[first...last])
  }

  private static func isSpace(_ scalar: Unicode.Scalar) -> Bool {
    scalar.properties.isWhitespace || scalar == "\u{200B}" || scalar == "\u{FEFF}"
  }

  /// Returns the name that was probably meant: the nearest one, if few letters have to be removed and inserted.
  func nearest(among names: [String]) -> String? {
    // Longer keys are not a misspelling of any key here.
    guard (1...40).contains(count) else { return nil }
    let own = lowercased()
    let ranked = names.map { ($0, own.difference(from: $0.lowercased()).count) }
    guard let best = ranked.min(by: { $0.1 < $1.1 }), best.1 <= max(2, best.0.count / 3), best.1 < count else {
      return nil
    }
    return best.0
  }
}
