import B2CAuthority
import B2CCore
import Foundation

/// The keys of a settings file, in the only table of their names and contents.
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

  /// Whether the value of the key is a policy or several policies.
  var isOfPolicy: Bool { [.emailSignUp, .facebookSignIn, .emailSignIn, .policies, .policyID].contains(self) }

  /// The names of the same settings in other SDKs and samples, in lower case and without hyphens.
  private static let elsewhere: [String: Self] = [
    "issuer": .authority, "domain": .authority, "tenant": .authority, "tenantname": .authority, "tenantid": .authority,
    "appid": .clientID, "applicationid": .clientID, "callbackurl": .redirectURI, "replyurl": .redirectURI,
    "apiurl": .taskWebAPI, "webapi": .taskWebAPI, "policy": .policyID, "userflow": .policyID,
    "facebookpolicy": .facebookSignIn,
  ]

  /// Returns the key that another name probably means, because it is misspelled or from another SDK or sample.
  static func meant(by name: String) -> Self? {
    // The constants in Microsoft's samples begin with k, for example kClientID.
    let folded = name.drop { $0 == "k" }.lowercased().filter { !"_-. ".contains($0) }
    let stem = ["policyid", "policy", "userflow"].reduce(folded) { $0.replacing($1, with: "") }
    if stem != folded, let kind = Policy.Kind.named(stem) {
      return kind == .signUp ? .emailSignUp : kind == .signIn ? .emailSignIn : .policies
    }
    return elsewhere[folded] ?? folded.nearest(among: allCases.map(\.rawValue)).flatMap(Self.init)
  }

  /// The advice if the key is missing or has no valid value.
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

  /// Returns the kind that a settings file names, ignoring case, hyphens, underscores and spaces.
  static func named(_ name: String) -> Self? {
    let folded = name.lowercased().filter { !"_- ".contains($0) }
    return allCases.first { $0.rawValue.lowercased() == folded } ?? aliases[folded]
  }
}

extension GUID {
  /// Returns the GUID in a text that has braces or quotation marks around it, a scheme before it, or no hyphens in it.
  static func corrected(_ text: String) -> String? {
    let last = text.split(whereSeparator: { "/:".contains($0) }).last ?? ""
    let digits = last.filter { !"{}()[]<>\"'\u{201C}\u{201D}- ".contains($0) }
    let guid = digits.enumerated().map { [8, 12, 16, 20].contains($0) ? "-\($1)" : "\($1)" }.joined()
    return isGUID(guid) && Set(digits) != ["0"] ? guid : nil
  }
}

extension String {
  /// The text without the spaces and invisible characters around it, which are often pasted with a value.
  var trimmed: String {
    trimmingCharacters(in: .whitespacesAndNewlines.union(CharacterSet(charactersIn: "\u{200B}\u{FEFF}")))
  }

  /// Returns the name that was probably meant, which is the nearest one if it differs by a few letters.
  func nearest(among names: [String]) -> String? {
    // A longer text is not a misspelling of any key.
    guard (1...40).contains(count) else { return nil }
    let own = lowercased()
    let ranked = names.map { ($0, own.difference(from: $0.lowercased()).count) }
    let best = ranked.min { $0.1 < $1.1 }
    return best.flatMap { $0.1 <= max(2, $0.0.count / 3) && $0.1 < count ? $0.0 : nil }
  }
}
