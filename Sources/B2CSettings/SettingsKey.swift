import B2CAuthority
import B2CCore

/// The keys of a settings file: the only table of their names and contents.
enum SettingsKey: String, CaseIterable {
  case authority
  case authorityKind
  case trustedHosts
  case trustedAudiences
  case clientID = "clientId"
  case scopes
  case additionalScopes
  case offlineAccess
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
    case .trustedHosts: "List host names, or remove the key."
    case .trustedAudiences: "List the audiences (aud) that an id_token may name beside your client, or remove the key."
    case .clientID:
      isGeneric
        ? "Write the client ID of your app's registration."
        : "Write the application (client) ID of your app's registration in the portal; it is a GUID."
    case .scopes:
      isGeneric
        ? "List the scopes of your API, as its documentation names them."
        : "List the scopes of your API, such as https://contoso.onmicrosoft.com/tasks/read, or your client ID."
    case .additionalScopes: "List further scopes, or remove the key."
    case .offlineAccess: "Write automatic, never or withConsent, or remove the key."
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
  static func nearest(_ name: String) -> String? {
    EditDistance.nearest(to: name, among: kinds, name: \.rawValue)?.rawValue
  }
}

/// Values that a template left to be filled in.
///
/// No setting contains `<…>`, `{…}` or a build variable, so such a value was never filled in.
enum Placeholder {
  static let message = "The value is still a template's placeholder."

  private static let beginnings = ["enter ", "enter_", "insert ", "replace ", "your ", "your_", "your-"]
  private static let words: Set<String> = [
    "todo", "tbd", "changeme", "change_me", "change-me", "xxx", "...", "replaceme", "replace_me", "replace-me",
  ]
  private static let stems = [
    "yourtenant", "yourclientid", "yourappid", "yourapplicationid", "yourpolicy", "yourdomain", "yourb2ctenant",
    "yourbundleid", "yourredirect",
  ]

  /// Returns whether a value is or contains a placeholder.
  static func isPlaceholder(_ text: String) -> Bool {
    let text = text.trimmed
    let folded = text.lowercased()
    return hasPair("<", ">", in: text) || hasPair("{", "}", in: text) || text.contains("$(") || text.contains("${")
      || (folded.hasPrefix("[") && folded.hasSuffix("]") && hasPair("[", "]", in: text))
      || beginnings.contains { folded.hasPrefix($0) } || words.contains(folded)
      || stems.contains { folded.filter { !"-_ ".contains($0) }.contains($0) }
      || isEmptyGUID(folded)
  }

  /// Something in brackets that begins with a letter and is neither a GUID nor an XML element.
  private static func hasPair(_ open: Character, _ close: Character, in text: String) -> Bool {
    guard let start = text.firstIndex(of: open) else { return false }
    let inside = text[text.index(after: start)...]
    guard let end = inside.lastIndex(of: close), let first = inside[..<end].first else { return false }
    guard open != "<" || !text.contains("</") else { return false }
    return (first.isLetter || first == " " || first == "_") && !GUID.isGUID(inside[..<end])
  }

  /// A GUID of zeros or of the letter x.
  private static func isEmptyGUID(_ folded: String) -> Bool {
    let digits = folded.filter { $0 != "-" }
    guard folded.utf8.count == 36, digits.utf8.count == 32 else { return false }
    return digits.allSatisfy { $0 == "0" } || digits.allSatisfy { $0 == "x" }
  }
}

/// The distance between two words.
enum EditDistance {
  // Longer keys are not a misspelling of any key here.
  private static let limit = 40

  /// Returns the nearest word, if at most two letters or a third of its letters differ.
  static func nearest<Word>(to text: String, among words: [Word], name: (Word) -> String) -> Word? {
    let letters = Array(text.lowercased().unicodeScalars)
    guard (1...limit).contains(letters.count) else { return nil }
    let ranked = words.map { ($0, between(letters, Array(name($0).lowercased().unicodeScalars))) }
    guard let best = ranked.min(by: { $0.1 < $1.1 }) else { return nil }
    return best.1 <= max(2, name(best.0).count / 3) && best.1 < letters.count ? best.0 : nil
  }

  /// Insertions, deletions and substitutions from one word to the other.
  private static func between(_ left: [Unicode.Scalar], _ right: [Unicode.Scalar]) -> Int {
    var row = Array(0...right.count)
    for (index, letter) in left.enumerated() {
      var diagonal = row[0]
      row[0] = index + 1
      for column in right.indices {
        let substituted = diagonal + (letter == right[column] ? 0 : 1)
        diagonal = row[column + 1]
        row[column + 1] = min(substituted, diagonal + 1, row[column] + 1)
      }
    }
    return row[right.count]
  }
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
}
