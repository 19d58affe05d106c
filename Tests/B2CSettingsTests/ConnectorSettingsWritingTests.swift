import B2CAuthority
import B2CSettings
import B2CTestKit
import Foundation
import Testing

@Suite struct ConnectorSettingsWritingTests {
  static let all: [ConnectorSettings] = {
    do {
      return try [finished(), rich(), bare()]
    } catch {
      return []
    }
  }()

  private static func finished() throws -> ConnectorSettings {
    try ConnectorSettings(data: Data(Samples.finished.utf8))
  }

  private static func bare() throws -> ConnectorSettings {
    ConnectorSettings(
      authority: try Authority("https://login.microsoftonline.com/common"),
      clientID: "7bf688ce-8139-4ca8-9391-02fdb6f86d67", scopes: ["User.Read"],
      redirectURI: try #require(URL(string: "http://localhost:8400/")))
  }

  private static func rich() throws -> ConnectorSettings {
    let policies = ConnectorSettings.Policies(
      emailSignUp: try Policy(id: "B2C_1_Up", name: "Join <us> & \"all\"", kind: .signUpOrSignIn),
      emailSignIn: try Policy(id: "B2C_1_In", kind: .signIn),
      facebookSignIn: try Policy(id: "B2C_1_FB", kind: .federatedSignIn, domainHint: "facebook.com"),
      others: [
        try Policy(id: "B2C_1_z", name: "Reset", kind: .passwordReset), try Policy("B2C_1_edit_profile"),
        try Policy(id: "B2C_1A_g", kind: Policy.Kind(rawValue: "invite"), domainHint: "google.com"),
      ],
      selected: try Policy(id: "B2C_1_In", name: "Sign in", kind: .signIn))
    let authority = try Authority("https://login.contoso.com/tfp/contoso.onmicrosoft.com/B2C_1_In")
    var settings = ConnectorSettings(
      authority: authority, clientID: "7BF688CE-8139-4ca8-9391-02fdb6f86d67",
      scopes: ["https://contoso.onmicrosoft.com/tasks/read", "openid"],
      redirectURI: try #require(URL(string: "com.contoso.tasks:/redirect?a=1&b=%20")),
      taskWebAPI: URL(string: "http://localhost:3000/tasks?x=1&y=2"), policies: policies)
    settings.additionalScopes = ["https://contoso.onmicrosoft.com/tasks/write"]
    settings.fullScreen = true
    settings.showClaims = true
    settings.correlationID = UUID()
    settings.userID = "o'neill+\u{E4}@contoso.com \\ \"x\""
    return settings
  }

  @Test("There is something to write")
  func samples() {
    #expect(Self.all.count == 3)
  }

  @Test("A property list reads back equal, and Foundation reads it too", arguments: all)
  func propertyList(_ settings: ConnectorSettings) throws {
    let data = try settings.propertyList()
    #expect(try ConnectorSettings(data: data) == settings)
    let tree = try PropertyListSerialization.propertyList(from: data, format: nil) as? [String: Any]
    #expect(tree?["clientId"] as? String == settings.clientID)
    #expect(tree?["fullScreen"] as? Bool == settings.fullScreen)
    #expect(tree?["scopes"] as? [String] == settings.scopes)
    #expect(tree?["userId"] as? String == settings.userID)
  }

  @Test("Names, kinds and hints of policies survive")
  func policies() throws {
    let settings = try Self.rich()
    let policies = try ConnectorSettings(data: settings.propertyList()).policies
    #expect(policies.emailSignUp?.name == "Join <us> & \"all\"")
    #expect(policies.emailSignUp?.kind == .signUpOrSignIn)
    #expect(policies.others.map(\.name) == ["Reset", "B2C_1_edit_profile", "B2C_1A_g"])
    #expect(policies.others[2].kind.rawValue == "invite")
    #expect(policies.others[2].domainHint == "google.com")
    #expect(policies.selected?.name == "Sign in")
  }

  @Test("Settings that no file can hold are not written")
  func refused() throws {
    var settings = try Self.bare()
    settings.redirectURI = try #require(URL(string: "javascript:alert(1)"))
    let error = #expect(throws: SettingsError.self) { try settings.propertyList() }
    #expect(error?.problems.map(\.kind) == [.invalidRedirectURI])
    var padded = try Self.bare()
    padded.userID = " a "
    #expect(throws: SettingsError.self) { try padded.propertyList() }
    var differs = try Self.bare()
    differs.scopes = [""]
    #expect(throws: SettingsError.self) { try differs.propertyList() }
  }

  @Test("Settings made in code are checked as a file is")
  func validate() throws {
    #expect(try Self.bare().validate().isEmpty)
    #expect(try Self.finished().validate().map(\.kind) == [.retiredAuthority, .outOfBandRedirectURI])
    var settings = try Self.bare()
    settings.clientID = "x"
    settings.taskWebAPI = URL(string: "http://localhost/tasks:3000")
    let error = #expect(throws: SettingsError.self) { try settings.validate() }
    #expect(error?.problems.map(\.kind) == [.invalidClientID, .portInPath])
  }
}
