import B2CSettings
import Foundation
import Testing

@Suite struct SettingsErrorTests {
  @Test("One line for each problem, with key, fault, value and fix")
  func description() throws {
    let plist = Samples.plist([
      "clientId": nil, "taskWebAPI": "<string>http://localhost/tasks:3000</string>", "clientid": "<string/>",
    ])
    let error = #expect(throws: SettingsError.self) {
      try ConnectorSettings(data: Data(plist.utf8), file: "settings.plist")
    }
    let lines = "\(try #require(error))".split(separator: "\n").map(String.init)
    #expect(
      lines == [
        "settings.plist cannot be used:",
        "  clientId: The key is missing. "
          + "Write the application (client) ID of your app's registration.",
        "  taskWebAPI: The port is at the end of the path. It is \"http://localhost/tasks:3000\". "
          + "Write \"http://localhost:3000/tasks\".",
        "  clientId: The value is empty. Write the application (client) ID of your app's registration.",
        "  warning: clientid: The key is unknown. Write \"clientId\".",
      ])
    #expect(error?.localizedDescription == "\(try #require(error))")
  }

  @Test("Without a name the file is called the settings")
  func unnamed() throws {
    #expect("\(try #require(failure(of: "")))".hasPrefix("The settings cannot be used:\n"))
  }

  @Test(
    "Nothing that may be a secret is shown",
    arguments: [
      ("taskWebAPI", "https://user:hunter2@api.contoso.com/"), ("redirectUri", "https://user:hunter2@contoso.com/"),
      ("authority", "https://user:hunter2@contoso.b2clogin.com/contoso.onmicrosoft.com/"),
      ("clientId", "eyJhbGciOiJSUzI1NiJ9.hunter2.sig"), ("clientSecret", "hunter2"),
      ("taskWebAPI", "https://user:hunter2@api contoso.com/"), ("taskWebAPI", "user:hunter2@api.contoso.com/tasks"),
      ("redirectUri", "com.contoso://a@b:hunter2@/#x"), ("clientSecret", "hunter2&x"), ("clientSecret", "ab<hunter2>e"),
      ("clientSecret", "<hunter2>"), ("taskWebAPI", "https://user:hunter2@api.contoso.com/x&y"),
      ("taskWebAPI", "hunter2@api.contoso.com/tasks"), ("authority", "contoso.b2clogin.com?code=hunter2"),
      ("authority", "hunter2@contoso.b2clogin.com/contoso.onmicrosoft.com"),
      ("authority", "contoso.b2clogin.com#access_token=hunter2"),
      ("emailSignInPolicyId", "?p=B2C_1_x&amp;code=hunter2"),
      ("authority", "https://user:hunt\\er2@h.example/hunter2"),
      ("authority", "http://h.example/t?login_hint=hunter2&amp;p=B2C_1_x&amp;state=hunter2"),
    ])
  func secrets(_ key: String, _ value: String) throws {
    let plist = Samples.plist(["scopes": nil, key: "<string>\(value)</string>"])
    let error = try #require(failure(of: plist))
    var dumped = ""
    dump(error, to: &dumped)
    #expect(!error.problems.isEmpty)
    #expect(!"\(error)".contains("hunter2"))
    #expect(!dumped.contains("hunter2"))
  }
}
