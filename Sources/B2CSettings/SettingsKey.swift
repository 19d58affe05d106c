import B2CAuthority
import B2CCore
import Foundation

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

  /// Whether the key's value is a policy, or several.
  var isOfPolicy: Bool { [.emailSignUp, .facebookSignIn, .emailSignIn, .policies, .policyID].contains(self) }

  /// The names that files of other SDKs and samples have for it, without case and hyphens.
  private static let elsewhere: [String: Self] = [
    "issuer": .authority, "domain": .authority, "tenant": .authority, "tenantname": .authority, "tenantid": .authority,
    "appid": .clientID, "applicationid": .clientID, "callbackurl": .redirectURI, "replyurl": .redirectURI,
    "apiurl": .taskWebAPI, "webapi": .taskWebAPI, "policy": .policyID, "userflow": .policyID,
    "facebookpolicy": .facebookSignIn,
  ]

  /// Returns the key that is meant by another name: a misspelt one, or that of another SDK or a sample.
  static func meant(by name: String) -> Self? {
    // The constants of Microsoft's samples begin with k: kClientID.
    let folded = name.drop { $0 == "k" }.lowercased().filter { !"_-. ".contains($0) }
    let stem = ["policyid", "policy", "userflow"].reduce(folded) { $0.replacing($1, with: "") }
    if stem != folded, let kind = Policy.Kind.named(stem) {
      return kind == .signUp ? .emailSignUp : kind == .signIn ? .emailSignIn : .policies
    }
    return elsewhere[folded] ?? folded.nearest(among: allCases.map(\.rawValue)).flatMap(Self.init)
  }

  /// The advice for a key that is missing or not filled in.
  var recovery: String {
    switch self {
    case .authority: "Write your tenant's address, for example https://contoso.b2clogin.com/contoso.onmicrosoft.com/."
    case .authorityKind: "Write b2c, ciam, entra or openIDConnect, or remove the key."
    case .clientID: "Write the application (client) ID of your app's registration."
    case .scopes: "List the scopes of your API, for example https://contoso.onmicrosoft.com/tasks/read."
    case .additionalScopes: "List more scopes, or remove the key."
    case .redirectURI: "Write the redirect URI of your app's registration, for example com.contoso.tasks:/redirect."
    case .taskWebAPI: "Write the https URL of the list of tasks, or remove the key."
    case .emailSignUp, .facebookSignIn, .emailSignIn, .policyID:
      "Write the id of the policy (user flow) from the portal, for example B2C_1_SignIn, or remove the key."
    case .policies: "List policy ids, or give each its kind as its key, for example signIn or passwordReset."
    case .policyName: "Write a name to show, or remove the key."
    case .fullScreen, .showClaims: "Write <true/> or <false/>."
    case .correlationID: "Write a UUID, or remove the key."
    case .userID: "Write the email, user name or object id of the only user who may sign in, or remove the key."
    }
  }
}

extension Policy.Kind {
  private static let aliases: [String: Self] = [
    "susi": .signUpOrSignIn, "signupsignin": .signUpOrSignIn, "editprofile": .profileEdit, "profile": .profileEdit,
    "resetpassword": .passwordReset, "federated": .federatedSignIn,
  ]

  /// Returns the kind of a name in a settings file, ignoring case, hyphens, underscores and spaces.
  static func named(_ name: String) -> Self? {
    let folded = name.lowercased().filter { !"_- ".contains($0) }
    return allCases.first { $0.rawValue.lowercased() == folded } ?? aliases[folded]
  }
}

extension GUID {
  /// Returns the GUID of a text that has it in braces or quotation marks, after a scheme, or without its hyphens.
  static func corrected(_ text: String) -> String? {
    let last = text.split(whereSeparator: { "/:".contains($0) }).last ?? ""
    let digits = last.filter { !"{}()[]<>\"'\u{201C}\u{201D}- ".contains($0) }
    let guid = digits.enumerated().map { [8, 12, 16, 20].contains($0) ? "-\($1)" : "\($1)" }.joined()
    return isGUID(guid) && Set(digits) != ["0"] ? guid : nil
  }
}

extension String {
  /// The text without spaces and invisible characters around it, which come along when a value is pasted.
  var trimmed: String {
    trimmingCharacters(in: .whitespacesAndNewlines.union(CharacterSet(charactersIn: "\u{200B}\u{FEFF}")))
  }

  /// Returns the name that was probably meant: the nearest one, if few letters have to be removed and inserted.
  func nearest(among names: [String]) -> String? {
    // Longer keys are not a misspelling of any key here.
    guard (1...40).contains(count) else { return nil }
    let own = lowercased()
    let ranked = names.map { ($0, own.difference(from: $0.lowercased()).count) }
    let best = ranked.min { $0.1 < $1.1 }
    return best.flatMap { $0.1 <= max(2, $0.0.count / 3) && $0.1 < count ? $0.0 : nil }
  }
}
