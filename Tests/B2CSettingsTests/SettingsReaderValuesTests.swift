import B2CSettings
import Foundation
import Testing

@Suite struct SettingsReaderValuesTests {
  private static let clientID = "7bf688ce-8139-4ca8-9391-02fdb6f86d67"
  private static let longScope = "https://contoso.onmicrosoft.com/" + String(repeating: "tasks", count: 20)

  private static let contoso = "https://contoso.b2clogin.com/contoso.onmicrosoft.com/"

  static let anyKey: [Mistake] = [
    Mistake("authority", nil, is: .missingKey, "Write your tenant's address, for example \(contoso)."),
    Mistake("clientId", nil, is: .missingKey), Mistake("scopes", nil, is: .missingKey),
    Mistake("redirectUri", nil, is: .missingKey), Mistake("authority", "", is: .emptyValue),
    Mistake("clientId", " \n ", is: .emptyValue), Mistake("redirectUri", "", is: .emptyValue),
    Mistake("userId", "a\nb", is: .controlCharacter, "Type it instead of pasting it."),
    Mistake("clientId", "7bf688ce-\u{85}8139", is: .controlCharacter, "Type it instead of pasting it."),
    Mistake("authority", "<integer>1</integer>", is: .wrongType), Mistake("clientId", "<true/>", is: .wrongType),
    Mistake("redirectUri", "<array/>", is: .wrongType), Mistake("taskWebAPI", "<dict/>", is: .wrongType),
    Mistake("emailSignInPolicyId", "<date>2026-01-01T00:00:00Z</date>", is: .wrongType),
    Mistake("fullScreen", "<integer>2</integer>", "YES", is: .notABoolean),
    Mistake("showClaims", "<real>0.5</real>", "<array/>", is: .notABoolean),
    Mistake("clientId", "&lt;Enter the id&gt;", is: .placeholder),
    Mistake("redirectUri", "REPLACE_ME", "msauth.your-bundle-id://auth", is: .placeholder),
    Mistake("userId", "\"alice@contoso.com\"", is: .quotedValue, "alice@contoso.com"),
    Mistake("correlationId", "42", is: .invalidCorrelationID),
  ]

  static let client: [Mistake] = [
    Mistake("clientId", "my-app", "7bf688ce-8139-4ca8-9391-02fdb6f86d6", is: .invalidClientID),
    Mistake("clientId", "{\(clientID)}", "7bf688ce81394ca8939102fdb6f86d67", is: .invalidClientID, clientID),
    Mistake("clientId", "'\(clientID)'", "\u{201C}\(clientID)\u{201D}", is: .quotedValue, clientID),
    Mistake("scopes", ", ", "a&lt;b", "eyJhbGciOi", is: .wrongType),
    Mistake("scopes", "<array><integer>7</integer></array>", at: "scopes[0]", is: .wrongType),
    Mistake(
      "scopes", "openid https://contoso/read", is: .wrongType,
      "<array><string>openid</string><string>https://contoso/read</string></array>"),
    Mistake(
      "scopes", "https://contoso.onmicrosoft.com/tasks/read,\(longScope)", is: .wrongType,
      "<array><string>https://contoso.onmicrosoft.com/tasks/read</string><string>\(longScope)</string></array>"),
    Mistake(
      "scopes", "<array/>", "<array><string> </string></array>",
      "<array><string>openid</string><string>Offline_Access</string></array>", is: .noAPIScope, clientID),
    Mistake("scopes", "<array><string>a https://contoso/read</string></array>", at: "scopes[0]", is: .invalidScope),
    Mistake(
      "scopes", "<array><string>https://contoso/a</string><string>re\u{E4}d</string></array>", at: "scopes[1]",
      is: .invalidScope),
  ]

  static let authority: [Mistake] = [
    Mistake(
      "authority", "http://contoso.b2clogin.com/contoso.onmicrosoft.com/", "contoso.onmicrosoft.com",
      "contoso.b2clogin.com/contoso.onmicrosoft.com/", "https://contoso.onmicrosoft.com/", contoso + "#a",
      is: .invalidAuthority, contoso),
    Mistake("authority", "\"\(contoso)\"", is: .quotedValue, contoso),
    Mistake("authorityKind", "b2b", is: .invalidAuthority, "b2c"),
    Mistake("emailSignInPolicyId", "`B2C_1_SignIn`", is: .quotedValue, "B2C_1_SignIn"),
    Mistake("emailSignInPolicyId", "B2C_1_Sign In", "?p=B2C_1_SignIn", is: .invalidPolicy),
    Mistake("policies", "<array><string>a/b</string></array>", at: "policies[0]", is: .invalidPolicy),
    Mistake(
      "policies", "<dict><key>B2C_1_x</key><string>Sign me in</string></dict>", at: "policies.B2C_1_x",
      is: .invalidPolicy),
    Mistake(
      "policies", "<dict><key>signIn</key><dict><key>name</key><string>x</string></dict></dict>",
      at: "policies.signIn.id", is: .missingID),
    Mistake("policies", "B2C_1_A", is: .wrongType),
    Mistake("policies", "<dict><key>signIn</key><string/></dict>", at: "policies.signIn", is: .emptyValue),
    Mistake("policies", "<array><true/></array>", at: "policies[0]", is: .wrongType),
    kind("sinIn", "signIn"),
    kind("invite", nil),
  ]

  private static func kind(_ text: String, _ answer: String?) -> Mistake {
    Mistake(
      "policies",
      "<array><dict><key>id</key><string>B2C_1_x</string><key>kind</key><string>\(text)</string></dict></array>",
      at: "policies[0].kind", is: .unknownPolicyKind, answer)
  }

  static let taskWebAPI: [Mistake] = [
    Mistake("taskWebAPI", "http://localhost/tasks:3000", is: .portInPath, "http://localhost:3000/tasks"),
    Mistake("taskWebAPI", "https://contoso.com/tasks:8443/", is: .portInPath, "https://contoso.com:8443/tasks/"),
    Mistake("taskWebAPI", "http://api.contoso.com/tasks", is: .insecureURL, "https://api.contoso.com/tasks"),
    Mistake("taskWebAPI", "http://localhost.evil.com/tasks", is: .insecureURL, "https://localhost.evil.com/tasks"),
    Mistake("taskWebAPI", "https://u:p@api.contoso.com/tasks", is: .userInfoInURL, "https://api.contoso.com/tasks"),
    Mistake(
      "taskWebAPI", "https://api.contoso.com/tasks#a", "api.contoso.com/tasks", is: .invalidURL,
      "https://api.contoso.com/tasks"),
    Mistake(
      "taskWebAPI", "localhost:3000/tasks", "localhost/tasks:3000", is: .invalidURL, "http://localhost:3000/tasks"),
    Mistake(
      "taskWebAPI", "ftp://api.contoso.com/tasks", "https://api contoso.com/tasks",
      "https://api.contoso.com:99999/tasks", "https:///tasks", "https://api.contoso.com/%zz", "https://h\\@evil/",
      is: .invalidURL),
    Mistake(
      "taskWebAPI", "https://api\u{FF0E}contoso.com/tasks", "https://api.contoso.com/\u{2060}tasks",
      is: .foreignCharacter, "https://api.contoso.com/tasks"),
    Mistake(
      "taskWebAPI", "https://\u{43F}\u{440}.example:8443/tasks", is: .foreignCharacter,
      "https://xn--o1ac.example:8443/tasks"),
  ]

  static let redirectURI: [Mistake] =
    [
      Mistake(
        "redirectUri", "javascript:alert(1)", "file:///tmp/a", "data:text/html,a", "about:blank", "mailto:a@b.example",
        "urn:uuid:1", "/redirect", "com.contoso.tasks/redirect", "tasks", "com.my_app.tasks", "my_app:/redirect",
        "http://localhost:0/", "https://", "https://u@contoso.com/r", "com.contoso.tasks:/a b",
        "com.contoso.tasks:/\u{E4}", is: .invalidRedirectURI),
      Mistake("redirectUri", "https://m\u{FC}ller.example/r", is: .foreignCharacter, "https://xn--mller-kva.example/r"),
      Mistake("redirectUri", "com.contoso\u{AD}.tasks:/r", is: .foreignCharacter, "com.contoso.tasks:/r"),
    ]
    + [
      ("com.contoso.tasks", "com.contoso.tasks:/callback"), ("org.Example.app-2", "org.Example.app-2:/callback"),
      ("com.contoso.tasks:/a#b", "com.contoso.tasks:/a"), ("http://contoso.com/r", "https://contoso.com/r"),
      ("http://127.0.0.1.evil.com/r", "https://127.0.0.1.evil.com/r"),
      ("localhost:8400/r", "http://localhost:8400/r"), ("https://localhost:8400/r", "http://localhost:8400/r"),
      ("https://[::1]/r", "http://[::1]/r"), ("http://127.0.0.2:8400/r", "http://127.0.0.1:8400/r"),
    ].map { Mistake("redirectUri", $0, is: .invalidRedirectURI, $1) }

  @Test(
    "Each mistake alone is the only problem, and its correction is accepted",
    arguments: anyKey + client + authority + taskWebAPI + redirectURI)
  func answer(_ mistake: Mistake) throws {
    for value in mistake.values {
      let problems = try #require(failure(of: Samples.plist([mistake.key: value]))).problems
      mistake.check(problems, of: value)
      // A policy's kind is not the value of the key.
      guard let correction = problems.first?.suggestion, mistake.fault != .unknownPolicyKind else { continue }
      let isScope = mistake.key == "scopes" && !correction.hasPrefix("<")
      let corrected = isScope ? "<array><string>\(correction)</string></array>" : correction
      #expect(try Samples.settings([mistake.key: corrected]).warnings.isEmpty, "\(corrected)")
    }
  }

  @Test("The problems of a generic issuer name no policies, portals and client IDs as scopes")
  func genericWords() throws {
    let file: [String: Any] = [
      "authority": "https://issuer.example/realms/one", "redirectUri": "file:///", "taskWebAPI": "http://api.example/t",
      "scopes": ["re\u{E4}d"], "additionalScopes": "x",
    ]
    let more = file.merging(["scopes": ["openid"], "clientId": ""]) { $1 }
    let errors = try [file, more].map { try #require(failure(of: Samples.file($0))) }
    #expect(errors.map(\.problems.count) == [5, 4])
    for word in ["policy", "policies", "portal", "B2C", "or your client ID", "GUID"] {
      #expect(!"\(errors)".contains(word), "\(word)")
    }
  }

  @Test("One URL with several mistakes is corrected as a whole")
  func several() throws {
    let plist = Samples.plist(["taskWebAPI": "http://u:p@api.contoso.com/tasks:3000#x"])
    let problems = try #require(failure(of: plist)).problems
    #expect(problems.map(\.fault) == [.userInfoInURL, .invalidURL, .portInPath, .insecureURL])
    #expect(Set(problems.map(\.suggestion)) == ["https://api.contoso.com:3000/tasks"])
  }

  @Test("All problems of a file come together, in the order of the keys")
  func together() throws {
    let plist = Samples.plist([
      "authority": "x", "clientId": "<true/>", "redirectUri": "file:///", "fullScreen": "perhaps", "userID": "a",
    ])
    let error = try #require(failure(of: plist))
    #expect(error.problems.map(\.keyPath) == ["authority", "clientId", "redirectUri", "fullScreen"])
    #expect(error.warnings.map(\.keyPath) == ["userID"])
  }
}
