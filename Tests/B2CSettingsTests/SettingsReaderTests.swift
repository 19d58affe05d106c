import B2CSettings
import Foundation
import Testing

@Suite struct SettingsReaderTests {
  @Test(
    "Property lists have several spellings of true and false, and an absent key is false",
    arguments: [
      ("<true/>", true), ("<true></true>", true), ("<integer>1</integer>", true), ("<real>1.0</real>", true),
      ("<false/>", false), ("<integer>0</integer>", false), ("<real>0</real>", false), (nil, false),
    ] as [(String?, Bool)])
  func booleans(_ value: String?, _ expected: Bool) throws {
    let settings = try Samples.settings(["fullScreen": value, "showClaims": value])
    #expect(settings.fullScreen == expected && settings.showClaims == expected)
  }

  @Test("Spaces around values are ignored")
  func trimming() throws {
    let settings = try Samples.settings([
      "authority": "\n  https://contoso.b2clogin.com/contoso.onmicrosoft.com/ ",
      "clientId": "\u{FEFF}7bf688ce-8139-4ca8-9391-02fdb6f86d67\u{A0}",
      "scopes": "<array><string> https://contoso.onmicrosoft.com/tasks/read </string></array>",
      "taskWebAPI": " https://api.contoso.com/tasks\t", "emailSignInPolicyId": "\u{200B}B2C_1_SignIn ",
      "userId": " a@contoso.com ", "correlationId": " 580e250c-8f26-49d0-bee8-1c078add1609 ",
    ])
    var expected = try Samples.settings()
    expected.userID = "a@contoso.com"
    expected.correlationID = UUID(uuidString: "580e250c-8f26-49d0-bee8-1c078add1609")
    #expect(settings == expected)
  }

  @Test("Optional keys may be absent or empty, and empty strings in lists are dropped")
  func optional() throws {
    let empty = try Samples.settings([
      "taskWebAPI": " ", "correlationId": "", "userId": "", "policyName": "", "policyID": "",
      "scopes": "<array><string/><string>https://contoso/read</string><string> </string></array>",
      "additionalScopes": "<array><string></string></array>",
    ])
    let absent = try Samples.settings([
      "taskWebAPI": nil, "scopes": "<array><string>https://contoso/read</string></array>",
    ])
    #expect(empty == absent && absent.warnings.isEmpty && absent.scopes == ["https://contoso/read"])
    #expect(absent.taskWebAPI == nil && absent.correlationID == nil && absent.userID == nil)
    #expect(absent.policies.selected == nil && absent.additionalScopes.isEmpty)
  }

  @Test("The kind of an authority can be given, and a policy may be in it")
  func authority() throws {
    let given = try Samples.settings([
      "authority": "https://login.contoso.com/contoso.com/v2.0", "authorityKind": "CIAM", "emailSignInPolicyId": nil,
    ])
    #expect(given.authority.kind == .ciam && given.warnings.isEmpty)
    let policy = try Samples.settings([
      "authority": "https://contoso.b2clogin.com/contoso.onmicrosoft.com/B2C_1_SignIn", "emailSignInPolicyId": nil,
    ])
    #expect(policy.authority.policy?.id == "B2C_1_SignIn" && policy.warnings.isEmpty)
  }

  @Test("Characters are written in every way that XML has")
  func characters() throws {
    let settings = try Samples.settings([
      "policyName": "a&amp;b&lt;&#99;&#x64;&quot;&apos;<![CDATA[<e>&amp;]]>f&gt;", "policyID": "B2C_1_x",
    ])
    #expect(settings.policies.selected?.name == "a&b<cd\"'<e>&amp;f>")
  }
}

@Suite struct SettingsReaderPlaceholderTests {
  private static let keys = [
    "authority", "clientId", "scopes", "emailSignUpPolicyId", "faceBookSignInPolicyId", "emailSignInPolicyId",
  ]

  @Test(
    "All that is to be filled in is named at once, with its line, although the file is not well-formed XML",
    arguments: ["\n", "\r\n", "\r"])
  func unescaped(_ end: String) throws {
    let problems = try #require(failure(of: Samples.template.replacing("\n", with: end))).problems
    #expect(problems.map(\.fault) == Self.keys.map { _ in .placeholder })
    #expect(problems.map(\.keyPath) == Self.keys)
    let lines = [6, 8, 11, 16, 17, 18].map { "Line \($0): " }
    #expect(zip(problems, lines).allSatisfy { $0.message.hasPrefix($1) }, "\(problems)")
    #expect(problems.allSatisfy { $0.answer?.isEmpty == false })
    #expect(problems[1].value == "<Enter the Application Id assigned to your app by the Azure portal, e.g.580e250c>")
    #expect(problems[1].answer?.contains("application (client) ID") == true)
  }

  @Test("The escaped form is caught in the same way, and with it the other faults of the template")
  func escaped() throws {
    let escaped = Samples.template
      .replacing("<Enter", with: "&lt;Enter").replacing("<your", with: "&lt;your")
      .replacing("></string>", with: "&gt;</string>").replacing("name>.", with: "name&gt;.")
      .replacing("redirectUri", with: "redirectURL")
    let error = try #require(failure(of: escaped))
    let found = error.problems.filter { $0.fault == .placeholder }.map(\.keyPath)
    #expect(found == Self.keys.map { $0 == "scopes" ? "scopes[0]" : $0 })
    let others = error.problems.filter { $0.fault != .placeholder }
    #expect(others.map(\.fault) == [.missingKey, .portInPath])
    #expect(others.last?.answer == "http://localhost:3000/tasks")
    #expect(error.warnings.map(\.keyPath) == ["redirectURL"] && error.warnings.first?.suggestion == "redirectUri")
  }

  @Test(
    "Other ways to say that something is to be filled in",
    arguments: [
      "Enter your client ID", "[Enter the id]", "{clientId}", "$(CLIENT_ID)", "${CLIENT_ID}", "YOUR_CLIENT_ID",
      "%@", "https://YOUR_HOST/", "00000000-0000-0000-0000-000000000000", "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx",
      "TODO", "changeme",
      // A GUID at the end does not make it a value, nor do a format string's slashes.
      "https://yourtenant.b2clogin.com/7bf688ce-8139-4ca8-9391-02fdb6f86d67", "https://%@/tfp/%@/%@",
      "https://$(B2C_HOST)/YOUR_TENANT_ID",
    ])
  func otherForms(_ text: String) throws {
    let key = text.hasPrefix("https") ? "authority" : "clientId"
    #expect(failure(of: Samples.plist([key: text]))?.problems.map(\.fault) == [.placeholder])
  }

  @Test("A product may be called so", arguments: ["com.yourapp.tasks:/redirect", "com.todo.app:/r", "com.enter:/r"])
  func products(_ text: String) throws {
    #expect(try Samples.settings(["redirectUri": text]).redirectURI.absoluteString == text)
  }
}

/// Keys that are inside another dictionary, or have the name of another SDK.
@Suite struct SettingsReaderStraysTests {
  private func read(_ tree: [String: Any]) throws -> (problems: [SettingsProblem], warnings: [SettingsProblem]) {
    do {
      return ([], try ConnectorSettings(data: Samples.file(tree)).warnings)
    } catch let error as SettingsError {
      return (error.problems, error.warnings)
    }
  }

  @Test("Keys that are too deep are named by the dictionary they are in, and not called missing")
  func nested() throws {
    let good = try Samples.tree()
    let trees: [(String, [String: Any])] = [
      ("B2C", ["B2C": good]), ("Item 0", ["Item 0": good]), ("Auth[0]", ["Auth": [good]]),
      ("App.Azure.B2C", ["App": ["Azure": ["B2C": good]]]), ("x[1].y", ["x": ["a", ["y": good]]]),
    ]
    for (path, tree) in trees {
      let (problems, warnings) = try read(tree)
      #expect(problems.map(\.keyPath) == [path], "\(problems)")
      #expect(problems.first?.message.contains("inside the dictionary \(path)") == true)
      #expect(problems.first?.recoverySuggestion?.contains("top level") == true)
      #expect(warnings.isEmpty, "\(warnings)")
    }
  }

  @Test("The values of keys that are too deep are judged in the same round")
  func nestedFaults() throws {
    let bad = try Samples.tree(["clientId": "my-app", "redirectUri": "com.contoso.tasks", "fullScreen": "YES"])
    #expect(try read(["B2C": bad]).problems.map(\.keyPath) == ["B2C", "clientId", "redirectUri", "fullScreen"])
    let entra = try Samples.tree(["authority": "https://login.microsoftonline.com/contoso.onmicrosoft.com"])
    #expect(try read(["B2C": entra]).warnings.map(\.keyPath) == ["authority"])
  }

  @Test("Keys in groups, and under other names in a group, are found together")
  func groups() throws {
    let (problems, warnings) = try read([
      "api": ["taskWebAPI": "https://api.contoso.com/tasks", "Scopes": ["https://contoso.onmicrosoft.com/tasks/read"]],
      "auth": [
        "kAuthority": "https://contoso.b2clogin.com/contoso.onmicrosoft.com/", "client_id": "my-app",
        "redirectUri": "com.contoso.tasks:/r",
      ],
    ])
    #expect(problems.map(\.keyPath) == ["api", "auth", "clientId"], "\(problems)")
    #expect(warnings.map(\.keyPath) == ["api.Scopes", "auth.client_id", "auth.kAuthority", "authority"])
  }

  @Test("A dictionary next to the right keys is a warning, and its keys are not used")
  func beside() throws {
    for inner in [["userId": "ada"], ["clientId": "my-app", "policyID": "B2C_1_x"]] {
      let warnings = try read(Samples.tree(["B2C": inner])).warnings
      #expect(warnings.map(\.keyPath) == ["B2C"], "\(warnings)")
      #expect(warnings.first?.message.contains("inside the dictionary B2C") == true)
    }
    let other = try read(Samples.tree(["Analytics": ["domain": "contoso.com", "level": 3]])).warnings
    #expect(other.map(\.message) == ["The key is unknown."])
  }

  @Test(
    "A policy's key under another name makes Azure AD B2C of the authority, whose warnings come in the same round",
    arguments: [["signInPolicyId", "signUpPolicyId"], ["signInPolicy"], ["SignUpSignInPolicyId"], ["policy_id"]])
  func firstEdition(_ keys: [String]) throws {
    var tree = try Samples.tree([
      "authority": "https://login.microsoftonline.com/contosob2c.onmicrosoft.com/oauth2/authorize?api-version=1.0"
    ])
    tree["emailSignInPolicyId"] = nil
    for key in keys { tree[key] = "B2C_1_x" }
    let found = try read(tree).warnings
    #expect(found.map(\.keyPath) == keys + ["authority"], "\(found)")
    #expect(found.last?.suggestion == "https://contosob2c.b2clogin.com/contosob2c.onmicrosoft.com/")
    tree["scopes"] = nil
    let (problems, warnings) = try read(tree)
    #expect(problems.map(\.keyPath) == ["scopes"] && warnings == found)
  }

  @Test("A value under another name is judged, and the key still called missing")
  func renamed() throws {
    var tree = try Samples.tree(["appId": "my-app", "redirect_url": "com.contoso.tasks"])
    (tree["clientId"], tree["redirectUri"]) = (nil, nil)
    let (problems, warnings) = try read(tree)
    #expect(problems.map(\.keyPath) == ["clientId", "redirectUri", "clientId", "redirectUri"], "\(problems)")
    #expect(warnings.map(\.suggestion) == ["clientId", "redirectUri"])
    // Of an optional key it is no error, because the file can be used.
    var optional = try Samples.tree(["taskWebApi": "http://api.contoso.com/tasks"])
    optional["taskWebAPI"] = nil
    #expect(try read(optional).warnings.map(\.keyPath) == ["taskWebApi", "taskWebAPI"])
  }

  @Test("A policy's id under another name is named", arguments: ["policyId", "ID", "policy", "userFlow"])
  func policyID(_ name: String) throws {
    let found = try read(Samples.tree(["policies": [[name: "B2C 1 x", "kind": "passwordReset"]]]))
    #expect(found.problems.map(\.keyPath) == ["policies[0].id"])
    #expect(found.warnings.map(\.suggestion) == ["id"])
  }
}
