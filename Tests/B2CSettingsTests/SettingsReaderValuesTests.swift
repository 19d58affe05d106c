import B2CAuthority
import B2CSettings
import B2CTestKit
import Foundation
import Testing

/// A mistake, and the whole answer to it.
struct Mistake: Sendable, CustomTestStringConvertible {
  var key: String
  var value: String?
  var keyPath: String
  var kind: SettingsProblem.Kind
  var suggestion: String?
  var line: Int?

  init(
    _ key: String, _ value: String?, at keyPath: String? = nil, _ kind: SettingsProblem.Kind, _ suggestion: String?,
    line: Int?
  ) {
    (self.key, self.value, self.kind, self.suggestion, self.line) = (key, value, kind, suggestion, line)
    self.keyPath = keyPath ?? key
  }

  var testDescription: String { "\(key) = \(value ?? "(missing)")" }

  static func string(
    _ key: String, _ text: String, _ kind: SettingsProblem.Kind, _ suggestion: String?, line: Int
  ) -> Mistake {
    Mistake(key, "<string>\(text)</string>", kind, suggestion, line: line)
  }
}

@Suite struct SettingsReaderValuesTests {
  private static let authorityAdvice =
    "Write your tenant's address, such as https://contoso.b2clogin.com/contoso.onmicrosoft.com/."
  private static let clientAdvice =
    "Write the application (client) ID of your app's registration in the portal; it is a GUID."
  private static let scopesAdvice =
    "List the scopes of your API, such as https://contoso.onmicrosoft.com/tasks/read, or your client ID."
  private static let redirectAdvice =
    "Write the redirect URI of your app's registration, such as com.contoso.tasks:/redirect or http://localhost:8400/."
  private static let taskAdvice = "Write the https URL of the list of tasks, or remove the key."
  private static let policyAdvice =
    "Write the id of the policy (user flow) from the portal, such as B2C_1_SignIn, or remove the key."
  private static let clientID = "7bf688ce-8139-4ca8-9391-02fdb6f86d67"

  static let anyKey: [Mistake] = [
    Mistake("authority", nil, .missingKey, authorityAdvice, line: nil),
    Mistake("clientId", nil, .missingKey, clientAdvice, line: nil),
    Mistake("scopes", nil, .missingKey, scopesAdvice, line: nil),
    Mistake("redirectUri", nil, .missingKey, redirectAdvice, line: nil),
    .string("authority", "", .emptyValue, authorityAdvice, line: 6),
    .string("clientId", " \n ", .emptyValue, clientAdvice, line: 8),
    .string("redirectUri", "", .emptyValue, redirectAdvice, line: 12),
    .string("userId", "a\nb", .controlCharacter, "Type it instead of pasting it.", line: 22),
    .string("clientId", "7bf688ce-\u{85}8139", .controlCharacter, "Type it instead of pasting it.", line: 8),
    Mistake("authority", "<integer>1</integer>", .wrongType, authorityAdvice, line: 6),
    Mistake("clientId", "<true/>", .wrongType, clientAdvice, line: 8),
    Mistake("scopes", "<string>https://contoso/read</string>", .wrongType, scopesAdvice, line: 10),
    Mistake(
      "scopes", "<array><integer>7</integer></array>", at: "scopes[0]", .wrongType, scopesAdvice, line: 10),
    Mistake("redirectUri", "<array/>", .wrongType, redirectAdvice, line: 12),
    Mistake("taskWebAPI", "<dict/>", .wrongType, taskAdvice, line: 14),
    Mistake("emailSignInPolicyId", "<date>2026-01-01T00:00:00Z</date>", .wrongType, policyAdvice, line: 16),
    Mistake("fullScreen", "<integer>2</integer>", .wrongType, "Write true or false.", line: 18),
    Mistake("fullScreen", "<string>maybe</string>", .wrongType, "Write true or false.", line: 18),
    Mistake("showClaims", "<real>0.5</real>", .wrongType, "Write true or false.", line: 20),
    Mistake("showClaims", "<array/>", .wrongType, "Write true or false.", line: 20),
    .string("clientId", "&lt;Enter the id&gt;", .placeholder, clientAdvice, line: 8),
    .string("clientId", "<Enter the id>", .placeholder, clientAdvice, line: 8),
    .string("taskWebAPI", "https://<your server>/tasks", .placeholder, taskAdvice, line: 14),
    .string("redirectUri", "REPLACE_ME", .placeholder, redirectAdvice, line: 12),
    .string("redirectUri", "msauth.your-bundle-id://auth", .placeholder, redirectAdvice, line: 12),
  ]

  static let client: [Mistake] = [
    .string("clientId", "my-app", .invalidClientID, clientAdvice, line: 8),
    .string("clientId", "{\(clientID)}", .invalidClientID, clientID, line: 8),
    .string("clientId", "7bf688ce81394ca8939102fdb6f86d67", .invalidClientID, clientID, line: 8),
    .string("clientId", "7bf688ce-8139-4ca8-9391-02fdb6f86d6", .invalidClientID, clientAdvice, line: 8),
    .string("clientId", "'\(clientID)'", .quotedValue, clientID, line: 8),
    .string("clientId", "\u{201C}\(clientID)\u{201D}", .quotedValue, clientID, line: 8),
    .string("userId", "\"alice@contoso.com\"", .quotedValue, "alice@contoso.com", line: 22),
    Mistake("scopes", "<array/>", .noAPIScope, clientID, line: 10),
    Mistake("scopes", "<array><string> </string></array>", .noAPIScope, clientID, line: 10),
    Mistake(
      "scopes", "<array><string>openid</string><string>Offline_Access</string></array>", .noAPIScope, clientID,
      line: 10),
    Mistake(
      "scopes", "<array><string>openid https://contoso/read</string></array>", at: "scopes[0]", .invalidScope,
      "Write each scope as its own string.", line: 10),
    Mistake(
      "scopes", "<array><string>https://contoso/a</string><string>re\u{E4}d</string></array>", at: "scopes[1]",
      .invalidScope, "Copy the scope from the portal.", line: 10),
    .string("correlationId", "42", .invalidCorrelationID, "Write a UUID, or remove the key.", line: 22),
  ]

  static let authority: [Mistake] = [
    .string(
      "authority", "http://contoso.b2clogin.com/contoso.onmicrosoft.com/", .invalidAuthority,
      "https://contoso.b2clogin.com/contoso.onmicrosoft.com/", line: 6),
    .string(
      "authority", "contoso.b2clogin.com/contoso.onmicrosoft.com/", .invalidAuthority,
      "https://contoso.b2clogin.com/contoso.onmicrosoft.com/", line: 6),
    .string(
      "authority", "https://contoso.b2clogin.com/contoso.onmicrosoft.com/#a", .invalidAuthority,
      "https://contoso.b2clogin.com/contoso.onmicrosoft.com/", line: 6),
    .string(
      "authority", "contoso.onmicrosoft.com", .invalidAuthority,
      "https://contoso.b2clogin.com/contoso.onmicrosoft.com/", line: 6),
    .string(
      "authority", "https://contoso.onmicrosoft.com/", .invalidAuthority,
      "https://contoso.b2clogin.com/contoso.onmicrosoft.com/", line: 6),
    .string(
      "authority", "\"https://contoso.b2clogin.com/contoso.onmicrosoft.com/\"", .quotedValue,
      "https://contoso.b2clogin.com/contoso.onmicrosoft.com/", line: 6),
    .string(
      "authorityKind", "b2b", .invalidAuthority, "b2c", line: 22),
    .string("emailSignInPolicyId", "`B2C_1_SignIn`", .quotedValue, "B2C_1_SignIn", line: 16),
    Mistake(
      "policies", "<dict><key>B2C_1_x</key><string>Sign me in</string></dict>", at: "policies.B2C_1_x", .invalidPolicy,
      turnedAdvice, line: 22),
    Mistake(
      "policies", "<dict><key>b2c_1a_x</key><string>signIn</string></dict>", at: "policies.b2c_1a_x", .invalidPolicy,
      turnedAdvice, line: 22),
    .string("emailSignInPolicyId", "B2C_1_Sign In", .invalidPolicy, copyAdvice, line: 16),
    .string("emailSignInPolicyId", "?p=B2C_1_SignIn", .invalidPolicy, copyAdvice, line: 16),
    Mistake(
      "policies", "<array><string>a/b</string></array>", at: "policies[0]", .invalidPolicy,
      copyAdvice, line: 22),
    Mistake(
      "policies", "<dict><key>signIn</key><dict><key>name</key><string>x</string></dict></dict>",
      at: "policies.signIn.id", .missingKey, policyAdvice, line: 22),
    Mistake("policies", "<string>B2C_1_A</string>", .wrongType, policiesAdvice, line: 22),
    Mistake(
      "policies", "<dict><key>signIn</key><string/></dict>", at: "policies.signIn", .emptyValue, policyAdvice,
      line: 22),
    Mistake("policies", "<array><true/></array>", at: "policies[0]", .wrongType, policyAdvice, line: 22),
  ]
  private static let copyAdvice = "Copy the id from the portal; it looks like B2C_1_SignIn."
  private static let turnedAdvice =
    "Write the id as the value, and as the key what the policy does (signIn) or its name."
  private static let policiesAdvice =
    "List policy ids, or name them by what they do: signIn, passwordReset and the like."

  static let taskWebAPI: [Mistake] = [
    .string("taskWebAPI", "http://localhost/tasks:3000", .portInPath, "http://localhost:3000/tasks", line: 14),
    .string(
      "taskWebAPI", "https://api.contoso.com/tasks:8443/", .portInPath, "https://api.contoso.com:8443/tasks/", line: 14),
    .string("taskWebAPI", "http://api.contoso.com/tasks", .insecureURL, "https://api.contoso.com/tasks", line: 14),
    .string(
      "taskWebAPI", "http://localhost.evil.com/tasks", .insecureURL, "https://localhost.evil.com/tasks", line: 14),
    .string(
      "taskWebAPI", "https://u:p@api.contoso.com/tasks", .userInfoInURL, "https://api.contoso.com/tasks", line: 14),
    .string("taskWebAPI", "https://api.contoso.com/tasks#a", .invalidURL, "https://api.contoso.com/tasks", line: 14),
    .string("taskWebAPI", "localhost:3000/tasks", .invalidURL, "http://localhost:3000/tasks", line: 14),
    .string("taskWebAPI", "localhost/tasks:3000", .invalidURL, "http://localhost:3000/tasks", line: 14),
    .string("taskWebAPI", "api.contoso.com/tasks", .invalidURL, "https://api.contoso.com/tasks", line: 14),
    .string("taskWebAPI", "ftp://api.contoso.com/tasks", .invalidURL, taskAdvice, line: 14),
    .string("taskWebAPI", "https://api contoso.com/tasks", .invalidURL, taskAdvice, line: 14),
    .string("taskWebAPI", "https://api.contoso.com:99999/tasks", .invalidURL, taskAdvice, line: 14),
    .string("taskWebAPI", "https:///tasks", .invalidURL, taskAdvice, line: 14),
    .string("taskWebAPI", "https://api.contoso.com/%zz", .invalidURL, taskAdvice, line: 14),
    .string("taskWebAPI", "https://h\\@evil/", .invalidURL, taskAdvice, line: 14),
  ]

  static let redirectURI: [Mistake] = [
    .string("redirectUri", "javascript:alert(1)", .invalidRedirectURI, redirectAdvice, line: 12),
    .string("redirectUri", "file:///tmp/a", .invalidRedirectURI, redirectAdvice, line: 12),
    .string("redirectUri", "data:text/html,a", .invalidRedirectURI, redirectAdvice, line: 12),
    .string("redirectUri", "about:blank", .invalidRedirectURI, redirectAdvice, line: 12),
    .string("redirectUri", "mailto:a@b.example", .invalidRedirectURI, redirectAdvice, line: 12),
    .string("redirectUri", "urn:uuid:1", .invalidRedirectURI, redirectAdvice, line: 12),
    .string("redirectUri", "/redirect", .invalidRedirectURI, redirectAdvice, line: 12),
    .string("redirectUri", "com.contoso.tasks", .invalidRedirectURI, redirectAdvice, line: 12),
    .string("redirectUri", "my_app:/redirect", .invalidRedirectURI, redirectAdvice, line: 12),
    .string("redirectUri", "com.contoso.tasks:/a#b", .invalidRedirectURI, "com.contoso.tasks:/a", line: 12),
    .string("redirectUri", "http://contoso.com/r", .invalidRedirectURI, "https://contoso.com/r", line: 12),
    .string(
      "redirectUri", "http://127.0.0.1.evil.com/r", .invalidRedirectURI, "https://127.0.0.1.evil.com/r", line: 12),
    .string("redirectUri", "localhost:8400/r", .invalidRedirectURI, "http://localhost:8400/r", line: 12),
    .string("redirectUri", "https://localhost:8400/r", .invalidRedirectURI, "http://localhost:8400/r", line: 12),
    .string("redirectUri", "https://[::1]/r", .invalidRedirectURI, "http://[::1]/r", line: 12),
    .string("redirectUri", "http://127.0.0.2:8400/r", .invalidRedirectURI, "http://127.0.0.1:8400/r", line: 12),
    .string("redirectUri", "http://localhost:0/", .invalidRedirectURI, redirectAdvice, line: 12),
    .string("redirectUri", "https://", .invalidRedirectURI, redirectAdvice, line: 12),
    .string("redirectUri", "https://u@contoso.com/r", .invalidRedirectURI, redirectAdvice, line: 12),
    .string("redirectUri", "com.contoso.tasks:/a b", .invalidRedirectURI, redirectAdvice, line: 12),
    .string("redirectUri", "com.contoso.tasks:/\u{E4}", .invalidRedirectURI, redirectAdvice, line: 12),
  ]

  @Test("Each mistake alone is the only problem", arguments: anyKey + client + authority + taskWebAPI + redirectURI)
  func answer(_ mistake: Mistake) throws {
    let error = try #require(failure(of: Samples.plist([mistake.key: mistake.value])))
    #expect(error.problems.count == 1, "\(error)")
    let problem = try #require(error.problems.first)
    #expect(problem.keyPath == mistake.keyPath)
    #expect(problem.kind == mistake.kind)
    #expect(problem.answer == mistake.suggestion)
    #expect(problem.line == mistake.line)
    #expect(problem.severity == .error)
    #expect(!problem.message.isEmpty)
  }

  @Test("The corrected value that is offered is accepted", arguments: client + authority + taskWebAPI + redirectURI)
  func corrected(_ mistake: Mistake) throws {
    let error = try #require(failure(of: Samples.plist([mistake.key: mistake.value])))
    guard let corrected = error.problems.first?.suggestion else {
      #expect(error.problems.first?.recoverySuggestion?.isEmpty == false)
      return
    }
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
    #expect(error.problems.map(\.kind) == [.userInfoInURL, .invalidURL, .portInPath, .insecureURL])
    #expect(Set(error.problems.map(\.suggestion)) == ["https://api.contoso.com:3000/tasks"])
    #expect(!"\(error)".contains("u:p@"))
  }

  @Test("All problems of a file come together, in the order of the file, what is missing last")
  func together() throws {
    let plist = Samples.plist([
      "authority": nil, "clientId": "<string>x</string>", "redirectUri": "<string>file:///</string>",
      "fullScreen": "<string>perhaps</string>", "userID": "<string>a</string>",
    ])
    let error = try #require(failure(of: plist))
    #expect(error.problems.map(\.keyPath) == ["clientId", "redirectUri", "fullScreen", "authority"])
    #expect(error.problems.map(\.line) == [6, 10, 16, nil])
    #expect(error.warnings.map(\.keyPath) == ["userID"])
  }
}
