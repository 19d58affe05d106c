import B2CSettings
import Foundation
import Testing

/// Keys that are inside another dictionary, or have the name of another SDK.
@Suite struct SettingsReaderStraysTests {
  private static var good: [String: Any] {
    [
      "authority": "https://contoso.b2clogin.com/contoso.onmicrosoft.com/",
      "clientId": "7bf688ce-8139-4ca8-9391-02fdb6f86d67", "scopes": ["https://contoso.onmicrosoft.com/tasks/read"],
      "redirectUri": "com.contoso.tasks:/redirect", "emailSignInPolicyId": "B2C_1_SignIn",
    ]
  }

  private func read(_ tree: Any) throws -> (error: SettingsError?, warnings: [SettingsProblem]) {
    let data = try PropertyListSerialization.data(fromPropertyList: tree, format: .xml, options: 0)
    do {
      return (nil, try ConnectorSettings(data: data).warnings)
    } catch let error as SettingsError {
      return (error, error.warnings)
    }
  }

  @Test("Keys that are too deep are named by the dictionary they are in, and not called missing")
  func nested() throws {
    let trees: [(String, [String: Any])] = [
      ("B2C", ["B2C": Self.good]), ("Item 0", ["Item 0": Self.good]), ("Auth[0]", ["Auth": [Self.good]]),
      ("App.Azure.B2C", ["App": ["Azure": ["B2C": Self.good]]]), ("x[1].y", ["x": ["a", ["y": Self.good]]]),
    ]
    for (path, tree) in trees {
      let error = try #require(try read(tree).error)
      #expect(error.problems.map(\.keyPath) == [path], "\(error)")
      #expect(error.problems.first?.message.contains("inside the dictionary \(path)") == true)
      #expect(error.problems.first?.recoverySuggestion?.contains("top level") == true)
      #expect(error.warnings.isEmpty, "\(error)")
    }
  }

  @Test("The values of keys that are too deep are judged in the same round")
  func nestedFaults() throws {
    let bad = Self.good.merging(["clientId": "my-app", "redirectUri": "com.contoso.tasks", "fullScreen": "YES"]) { $1 }
    let error = try #require(try read(["B2C": bad]).error)
    #expect(error.problems.map(\.keyPath) == ["B2C", "clientId", "redirectUri", "fullScreen"], "\(error)")
    let entra = Self.good.merging(["authority": "https://login.microsoftonline.com/contoso.onmicrosoft.com"]) { $1 }
    #expect(try read(["B2C": entra]).warnings.map(\.keyPath) == ["authority"])
  }

  @Test("Keys in groups, and under other names in a group, are found together")
  func groups() throws {
    let tree: [String: Any] = [
      "api": ["taskWebAPI": "https://api.contoso.com/tasks", "Scopes": ["https://contoso.onmicrosoft.com/tasks/read"]],
      "auth": ["kAuthority": Self.good["authority"], "client_id": "my-app", "redirectUri": "com.contoso.tasks:/r"]
        .compactMapValues(\.self),
    ]
    let error = try #require(try read(tree).error)
    #expect(error.problems.map(\.keyPath) == ["api", "auth", "clientId"], "\(error)")
    #expect(error.warnings.map(\.keyPath) == ["api.Scopes", "auth.client_id", "auth.kAuthority", "authority"])
  }

  @Test("A dictionary next to the right keys is a warning, and its keys are not used")
  func beside() throws {
    for inner in [["userId": "ada"], ["clientId": "my-app", "policyID": "B2C_1_x"]] {
      let warnings = try read(Self.good.merging(["B2C": inner]) { $1 }).warnings
      #expect(warnings.map(\.keyPath) == ["B2C"], "\(warnings)")
      #expect(warnings.first?.message.contains("inside the dictionary B2C") == true)
    }
    let other = try read(Self.good.merging(["Analytics": ["domain": "contoso.com", "level": 3]]) { $1 }).warnings
    #expect(other.map(\.message) == ["The key is unknown."])
  }

  @Test("A policy's key under another name makes Azure AD B2C of the authority, whose warnings come in the same round")
  func firstEdition() throws {
    let authority = "https://login.microsoftonline.com/contosob2c.onmicrosoft.com/oauth2/authorize?api-version=1.0"
    for keys in [["signUpPolicyId", "signInPolicyId"], ["signInPolicy"], ["SignUpSignInPolicyId"], ["policy_id"]] {
      var tree = Self.good.merging(["authority": authority]) { $1 }
      tree["emailSignInPolicyId"] = nil
      for key in keys { tree[key] = "B2C_1_x" }
      let found = try read(tree).warnings
      #expect(found.map(\.keyPath) == keys.sorted() + ["authority"], "\(found)")
      #expect(found.last?.suggestion == "https://contosob2c.b2clogin.com/contosob2c.onmicrosoft.com/")
      tree["scopes"] = nil
      #expect(try read(tree).error?.problems.map(\.keyPath) == ["scopes"])
      #expect(try read(tree).warnings == found)
    }
  }

  @Test("A value under another name is judged, and the key still called missing")
  func renamed() throws {
    var tree = Self.good.merging(["appId": "my-app", "redirect_url": "com.contoso.tasks"]) { $1 }
    (tree["clientId"], tree["redirectUri"]) = (nil, nil)
    let error = try #require(try read(tree).error)
    #expect(error.problems.map(\.keyPath) == ["clientId", "redirectUri", "clientId", "redirectUri"], "\(error)")
    #expect(error.warnings.map(\.suggestion) == ["clientId", "redirectUri"])
    // Of an optional key it is no error, because the file can be used.
    let optional = try read(Self.good.merging(["taskWebApi": "http://api.contoso.com/tasks"]) { $1 })
    #expect(optional.warnings.map(\.keyPath) == ["taskWebApi", "taskWebAPI"])
  }

  @Test("A policy's id under another name is named", arguments: ["policyId", "ID", "policy", "userFlow"])
  func policyID(_ name: String) throws {
    let found = try read(Self.good.merging(["policies": [[name: "B2C 1 x", "kind": "passwordReset"]]]) { $1 })
    #expect(found.error?.problems.map(\.keyPath) == ["policies[0].id"])
    #expect(found.warnings.map(\.suggestion) == ["id"])
  }
}
