import B2CAuthority
import B2CSettings
import Foundation
import Testing

/// A mistake, and the whole answer to it.
struct Mistake: Sendable, CustomTestStringConvertible {
  var key: String
  var value: String?
  var keyPath: String
  var fault: Fault
  var suggestion: String?

  init(
    _ key: String, _ value: String?, at keyPath: String? = nil, _ fault: Fault, _ suggestion: String?
  ) {
    (self.key, self.value, self.fault, self.suggestion) = (key, value, fault, suggestion)
    self.keyPath = keyPath ?? key
  }

  var testDescription: String { "\(key) = \(value ?? "(missing)")" }

  static func string(
    _ key: String, _ text: String, _ fault: Fault, _ suggestion: String?
  ) -> Mistake {
    Mistake(key, "<string>\(text)</string>", fault, suggestion)
  }
}

@Suite struct SettingsReaderValuesTests {
  private static let authorityAdvice =
    "Write your tenant's address, for example https://contoso.b2clogin.com/contoso.onmicrosoft.com/."
  private static let clientAdvice =
    "Write the application (client) ID of your app's registration."
  private static let scopesAdvice =
    "List the scopes of your API, for example https://contoso.onmicrosoft.com/tasks/read."
  private static let redirectAdvice =
    "Write the redirect URI of your app's registration, for example com.contoso.tasks:/redirect."
  private static let taskAdvice = "Write the https URL of the list of tasks, or remove the key."
  private static let policyAdvice =
    "Write the id of the policy (user flow) from the portal, for example B2C_1_SignIn, or remove the key."
  private static let clientID = "7bf688ce-8139-4ca8-9391-02fdb6f86d67"

  private static let longScope = "https://contoso.onmicrosoft.com/" + String(repeating: "tasks", count: 20)

  static let anyKey: [Mistake] = [
    Mistake("authority", nil, .missingKey, authorityAdvice),
    Mistake("clientId", nil, .missingKey, clientAdvice),
    Mistake("scopes", nil, .missingKey, scopesAdvice),
    Mistake("redirectUri", nil, .missingKey, redirectAdvice),
    .string("authority", "", .emptyValue, authorityAdvice),
    .string("clientId", " \n ", .emptyValue, clientAdvice),
    .string("redirectUri", "", .emptyValue, redirectAdvice),
    .string("userId", "a\nb", .controlCharacter, "Type it instead of pasting it."),
    .string("clientId", "7bf688ce-\u{85}8139", .controlCharacter, "Type it instead of pasting it."),
    Mistake("authority", "<integer>1</integer>", .wrongType, authorityAdvice),
    Mistake("clientId", "<true/>", .wrongType, clientAdvice),
    Mistake("scopes", "<string>, </string>", .wrongType, scopesAdvice),
    Mistake("scopes", "<string>a&lt;b</string>", .wrongType, scopesAdvice),
    Mistake(
      "scopes", "<string>openid https://contoso/read</string>", .wrongType,
      "<array><string>openid</string><string>https://contoso/read</string></array>"),
    Mistake(
      "scopes", "<string>https://contoso.onmicrosoft.com/tasks/read,\(longScope)</string>", .wrongType,
      "<array><string>https://contoso.onmicrosoft.com/tasks/read</string><string>\(longScope)</string></array>"),
    Mistake("scopes", "<string>eyJhbGciOi</string>", .wrongType, scopesAdvice),
    Mistake("scopes", "<array><integer>7</integer></array>", at: "scopes[0]", .wrongType, scopesAdvice),
    Mistake("redirectUri", "<array/>", .wrongType, redirectAdvice),
    Mistake("taskWebAPI", "<dict/>", .wrongType, taskAdvice),
    Mistake("emailSignInPolicyId", "<date>2026-01-01T00:00:00Z</date>", .wrongType, policyAdvice),
    Mistake("fullScreen", "<integer>2</integer>", .notABoolean, "Write <true/> or <false/>."),
    Mistake("fullScreen", "<string>YES</string>", .notABoolean, "Write <true/> or <false/>."),
    Mistake("showClaims", "<real>0.5</real>", .notABoolean, "Write <true/> or <false/>."),
    Mistake("showClaims", "<array/>", .notABoolean, "Write <true/> or <false/>."),
    .string("clientId", "&lt;Enter the id&gt;", .placeholder, clientAdvice),
    .string("redirectUri", "REPLACE_ME", .placeholder, redirectAdvice),
    .string("redirectUri", "msauth.your-bundle-id://auth", .placeholder, redirectAdvice),
  ]

  static let client: [Mistake] = [
    .string("clientId", "my-app", .invalidClientID, clientAdvice),
    .string("clientId", "{\(clientID)}", .invalidClientID, clientID),
    .string("clientId", "7bf688ce81394ca8939102fdb6f86d67", .invalidClientID, clientID),
    .string("clientId", "7bf688ce-8139-4ca8-9391-02fdb6f86d6", .invalidClientID, clientAdvice),
    .string("clientId", "'\(clientID)'", .quotedValue, clientID),
    .string("clientId", "\u{201C}\(clientID)\u{201D}", .quotedValue, clientID),
    .string("userId", "\"alice@contoso.com\"", .quotedValue, "alice@contoso.com"),
    Mistake("scopes", "<array/>", .noAPIScope, clientID),
    Mistake("scopes", "<array><string> </string></array>", .noAPIScope, clientID),
    Mistake("scopes", "<array><string>openid</string><string>Offline_Access</string></array>", .noAPIScope, clientID),
    Mistake(
      "scopes", "<array><string>openid https://contoso/read</string></array>", at: "scopes[0]", .invalidScope,
      "Write each scope as its own string, exactly as in the registration of its API."),
    Mistake(
      "scopes", "<array><string>https://contoso/a</string><string>re\u{E4}d</string></array>", at: "scopes[1]",
      .invalidScope, "Write each scope as its own string, exactly as in the registration of its API."),
    .string("correlationId", "42", .invalidCorrelationID, "Write a UUID, or remove the key."),
  ]

  private static let contoso = "https://contoso.b2clogin.com/contoso.onmicrosoft.com/"

  static let authority: [Mistake] = [
    .string("authority", "http://contoso.b2clogin.com/contoso.onmicrosoft.com/", .invalidAuthority, contoso),
    .string("authority", "contoso.b2clogin.com/contoso.onmicrosoft.com/", .invalidAuthority, contoso),
    .string("authority", "https://contoso.b2clogin.com/contoso.onmicrosoft.com/#a", .invalidAuthority, contoso),
    .string("authority", "contoso.onmicrosoft.com", .invalidAuthority, contoso),
    .string("authority", "https://contoso.onmicrosoft.com/", .invalidAuthority, contoso),
    .string("authority", "\"https://contoso.b2clogin.com/contoso.onmicrosoft.com/\"", .quotedValue, contoso),
    .string("authorityKind", "b2b", .invalidAuthority, "b2c"),
    .string("emailSignInPolicyId", "`B2C_1_SignIn`", .quotedValue, "B2C_1_SignIn"),
    Mistake(
      "policies", "<dict><key>B2C_1_x</key><string>Sign me in</string></dict>", at: "policies.B2C_1_x", .invalidPolicy,
      copyAdvice),
    .string("emailSignInPolicyId", "B2C_1_Sign In", .invalidPolicy, copyAdvice),
    .string("emailSignInPolicyId", "?p=B2C_1_SignIn", .invalidPolicy, copyAdvice),
    Mistake("policies", "<array><string>a/b</string></array>", at: "policies[0]", .invalidPolicy, copyAdvice),
    Mistake(
      "policies", "<dict><key>signIn</key><dict><key>name</key><string>x</string></dict></dict>",
      at: "policies.signIn.id", .missingID, policyAdvice),
    Mistake("policies", "<string>B2C_1_A</string>", .wrongType, policiesAdvice),
    Mistake("policies", "<dict><key>signIn</key><string/></dict>", at: "policies.signIn", .emptyValue, policyAdvice),
    Mistake("policies", "<array><true/></array>", at: "policies[0]", .wrongType, policyAdvice),
    Mistake(
      "policies",
      "<array><dict><key>id</key><string>B2C_1_x</string><key>kind</key><string>sinIn</string></dict></array>",
      at: "policies[0].kind", .unknownPolicyKind, "signIn"),
    Mistake(
      "policies",
      "<array><dict><key>id</key><string>B2C_1_x</string><key>kind</key><string>invite</string></dict></array>",
      at: "policies[0].kind", .unknownPolicyKind,
      "Write signUp, signIn, signUpOrSignIn, profileEdit, passwordReset or federatedSignIn."),
  ]
  private static let copyAdvice = "Copy the id from the portal, for example B2C_1_SignIn."
  private static let policiesAdvice =
    "List policy ids, or give each its kind as its key, for example signIn or passwordReset."

  static let taskWebAPI: [Mistake] = [
    .string("taskWebAPI", "http://localhost/tasks:3000", .portInPath, "http://localhost:3000/tasks"),
    .string("taskWebAPI", "https://api.contoso.com/tasks:8443/", .portInPath, "https://api.contoso.com:8443/tasks/"),
    .string("taskWebAPI", "http://api.contoso.com/tasks", .insecureURL, "https://api.contoso.com/tasks"),
    .string("taskWebAPI", "http://localhost.evil.com/tasks", .insecureURL, "https://localhost.evil.com/tasks"),
    .string("taskWebAPI", "https://u:p@api.contoso.com/tasks", .userInfoInURL, "https://api.contoso.com/tasks"),
    .string("taskWebAPI", "https://api.contoso.com/tasks#a", .invalidURL, "https://api.contoso.com/tasks"),
    .string("taskWebAPI", "localhost:3000/tasks", .invalidURL, "http://localhost:3000/tasks"),
    .string("taskWebAPI", "localhost/tasks:3000", .invalidURL, "http://localhost:3000/tasks"),
    .string("taskWebAPI", "api.contoso.com/tasks", .invalidURL, "https://api.contoso.com/tasks"),
    .string("taskWebAPI", "ftp://api.contoso.com/tasks", .invalidURL, taskAdvice),
    .string("taskWebAPI", "https://api contoso.com/tasks", .invalidURL, taskAdvice),
    .string("taskWebAPI", "https://api.contoso.com:99999/tasks", .invalidURL, taskAdvice),
    .string("taskWebAPI", "https:///tasks", .invalidURL, taskAdvice),
    .string("taskWebAPI", "https://api.contoso.com/%zz", .invalidURL, taskAdvice),
    .string("taskWebAPI", "https://h\\@evil/", .invalidURL, taskAdvice),
    .string("taskWebAPI", "https://api\u{FF0E}contoso.com/tasks", .foreignCharacter, "https://api.contoso.com/tasks"),
    .string("taskWebAPI", "https://api.contoso.com/\u{2060}tasks", .foreignCharacter, "https://api.contoso.com/tasks"),
    .string(
      "taskWebAPI", "https://\u{43F}\u{440}.example:8443/tasks", .foreignCharacter,
      "https://xn--o1ac.example:8443/tasks"),
  ]

  static let redirectURI: [Mistake] = [
    .string("redirectUri", "javascript:alert(1)", .invalidRedirectURI, redirectAdvice),
    .string("redirectUri", "file:///tmp/a", .invalidRedirectURI, redirectAdvice),
    .string("redirectUri", "data:text/html,a", .invalidRedirectURI, redirectAdvice),
    .string("redirectUri", "about:blank", .invalidRedirectURI, redirectAdvice),
    .string("redirectUri", "mailto:a@b.example", .invalidRedirectURI, redirectAdvice),
    .string("redirectUri", "urn:uuid:1", .invalidRedirectURI, redirectAdvice),
    .string("redirectUri", "/redirect", .invalidRedirectURI, redirectAdvice),
    .string("redirectUri", "com.contoso.tasks", .invalidRedirectURI, "com.contoso.tasks:/callback"),
    .string("redirectUri", "org.Example.app-2", .invalidRedirectURI, "org.Example.app-2:/callback"),
    .string("redirectUri", "com.contoso.tasks/redirect", .invalidRedirectURI, redirectAdvice),
    .string("redirectUri", "tasks", .invalidRedirectURI, redirectAdvice),
    .string("redirectUri", "com.my_app.tasks", .invalidRedirectURI, redirectAdvice),
    .string("redirectUri", "https://m\u{FC}ller.example/r", .foreignCharacter, "https://xn--mller-kva.example/r"),
    .string("redirectUri", "com.contoso\u{AD}.tasks:/r", .foreignCharacter, "com.contoso.tasks:/r"),
    .string("redirectUri", "my_app:/redirect", .invalidRedirectURI, redirectAdvice),
    .string("redirectUri", "com.contoso.tasks:/a#b", .invalidRedirectURI, "com.contoso.tasks:/a"),
    .string("redirectUri", "http://contoso.com/r", .invalidRedirectURI, "https://contoso.com/r"),
    .string("redirectUri", "http://127.0.0.1.evil.com/r", .invalidRedirectURI, "https://127.0.0.1.evil.com/r"),
    .string("redirectUri", "localhost:8400/r", .invalidRedirectURI, "http://localhost:8400/r"),
    .string("redirectUri", "https://localhost:8400/r", .invalidRedirectURI, "http://localhost:8400/r"),
    .string("redirectUri", "https://[::1]/r", .invalidRedirectURI, "http://[::1]/r"),
    .string("redirectUri", "http://127.0.0.2:8400/r", .invalidRedirectURI, "http://127.0.0.1:8400/r"),
    .string("redirectUri", "http://localhost:0/", .invalidRedirectURI, redirectAdvice),
    .string("redirectUri", "https://", .invalidRedirectURI, redirectAdvice),
    .string("redirectUri", "https://u@contoso.com/r", .invalidRedirectURI, redirectAdvice),
    .string("redirectUri", "com.contoso.tasks:/a b", .invalidRedirectURI, redirectAdvice),
    .string("redirectUri", "com.contoso.tasks:/\u{E4}", .invalidRedirectURI, redirectAdvice),
  ]

  @Test("Each mistake alone is the only problem", arguments: anyKey + client + authority + taskWebAPI + redirectURI)
  func answer(_ mistake: Mistake) throws {
    let error = try #require(failure(of: Samples.plist([mistake.key: mistake.value])))
    #expect(error.problems.count == 1, "\(error)")
    let problem = try #require(error.problems.first)
    #expect(problem.keyPath == mistake.keyPath)
    #expect(problem.fault == mistake.fault)
    #expect(problem.answer == mistake.suggestion)
    #expect(!problem.message.isEmpty)
  }

  @Test("The corrected value that is offered is accepted", arguments: client + authority + taskWebAPI + redirectURI)
  func corrected(_ mistake: Mistake) throws {
    let error = try #require(failure(of: Samples.plist([mistake.key: mistake.value])))
    guard let corrected = error.problems.first?.suggestion else {
      #expect(error.problems.first?.recoverySuggestion?.isEmpty == false)
      return
    }
    // The kind's correction is not the value of the key.
    guard mistake.fault != .unknownPolicyKind else { return }
    let value =
      mistake.key == "scopes" ? "<array><string>\(corrected)</string></array>" : "<string>\(corrected)</string>"
    #expect(try Samples.settings([mistake.key: value]).warnings.isEmpty)
  }

  @Test(
    "A URL's query may hold a key, and is not quoted, neither in the value nor in a correction",
    arguments: [
      ("redirectUri", "http://contoso.com/r?key=hunter2", "http://contoso.com/r?…"),
      ("redirectUri", "localhost:8400/r?key=hunter2", "localhost:8400/r?…"),
      ("redirectUri", "com.contoso.tasks:/r?key=hunter2#x", "com.contoso.tasks:/r?…"),
      ("taskWebAPI", "http://api.contoso.com/tasks?key=hunter2", "http://api.contoso.com/tasks?…"),
      ("taskWebAPI", "https://api.contoso.com/tasks?a=1&b=hunter2", nil),
    ])
  func queries(key: String, text: String, shown: String?) throws {
    let error = try #require(failure(of: Samples.plist([key: "<string>\(text)</string>"])))
    let problem = try #require(error.problems.first)
    #expect(problem.value == shown)
    #expect(problem.answer?.isEmpty == false)
    #expect(!"\(error)".contains("hunter2"))
  }

  @Test("A policy in the query is not secret: a corrected authority keeps it")
  func policyInQuery() throws {
    let text = "http://contoso.b2clogin.com/contoso.onmicrosoft.com/?p=B2C_1_x"
    let error = try #require(failure(of: Samples.plist(["authority": "<string>\(text)</string>"])))
    #expect(error.problems.first?.suggestion == "https" + text.dropFirst(4))
  }

  @Test("The problems of a generic issuer name no policies, portals and client IDs as scopes")
  func genericWords() throws {
    let file: [String: Any] = [
      "authority": "https://issuer.example/realms/one", "redirectUri": "file:///", "taskWebAPI": "http://api.example/t",
      "scopes": ["re\u{E4}d"], "additionalScopes": "x",
    ]
    let more = file.merging(["scopes": ["openid"], "clientId": ""]) { $1 }
    let errors = try [file, more].map {
      try #require(failure(of: PropertyListSerialization.data(fromPropertyList: $0, format: .xml, options: 0)))
    }
    #expect(errors.map(\.problems.count) == [5, 4])
    for word in ["policy", "policies", "portal", "B2C", "or your client ID", "GUID"] {
      #expect(!"\(errors)".contains(word), "\(word)")
    }
  }

  @Test("One URL with several mistakes is corrected as a whole")
  func several() throws {
    let plist = Samples.plist(["taskWebAPI": "<string>http://u:p@api.contoso.com/tasks:3000#x</string>"])
    let error = try #require(failure(of: plist))
    #expect(error.problems.map(\.fault) == [.userInfoInURL, .invalidURL, .portInPath, .insecureURL])
    #expect(Set(error.problems.map(\.suggestion)) == ["https://api.contoso.com:3000/tasks"])
    #expect(!"\(error)".contains("u:p@"))
  }

  @Test("All problems of a file come together, in the order of the keys")
  func together() throws {
    let plist = Samples.plist([
      "authority": "<string>x</string>", "clientId": "<true/>", "redirectUri": "<string>file:///</string>",
      "fullScreen": "<string>perhaps</string>", "userID": "<string>a</string>",
    ])
    let error = try #require(failure(of: plist))
    #expect(error.problems.map(\.keyPath) == ["authority", "clientId", "redirectUri", "fullScreen"])
    #expect(error.warnings.map(\.keyPath) == ["userID"])
  }
}
