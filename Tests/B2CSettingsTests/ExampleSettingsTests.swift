import B2CSettings
import Foundation
import Testing

/// The settings in `Docs/Examples`, which readers copy.
@Suite struct ExampleSettingsTests {
  private static let docs = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().appending(path: "Docs")

  @Test("The settings to copy are read without a warning")
  func read() throws {
    let settings = try ConnectorSettings(contentsOf: Self.docs.appending(path: "Examples/settings.plist"))
    #expect(settings.warnings.isEmpty)
    #expect(settings.authority.baseURL.absoluteString == "https://contoso.b2clogin.com/contoso.onmicrosoft.com")
    #expect(settings.scopes.count == 2)
    #expect(settings.redirectURI.absoluteString == "http://localhost:8400/callback")
    #expect(settings.taskWebAPI != nil)
    #expect(settings.policies.policy(of: .signIn)?.id == "B2C_1_SignUpOrSignIn")
    // The portal steps create this user flow and no other, and `diagnose` asks for every one that is named.
    #expect(settings.policies.all.map(\.id) == ["B2C_1_SignUpOrSignIn"])
  }

  @Test("The settings to copy for External ID are read without a warning")
  func readExternalID() throws {
    let settings = try ConnectorSettings(contentsOf: Self.docs.appending(path: "Examples/settings-external-id.plist"))
    #expect(settings.warnings.isEmpty)
    #expect(settings.authority.kind == .ciam && settings.policies.all.isEmpty)
    #expect(settings.scopes.count == 2)
    #expect(settings.redirectURI.absoluteString == "msauth.com.example.Todo://auth")
    #expect(settings.taskWebAPI != nil)
  }

  @Test("The flows in its comment are read once the comment is removed")
  func otherFlows() throws {
    let file = try String(contentsOf: Self.docs.appending(path: "Examples/settings.plist"), encoding: .utf8)
    let whole = file.replacing(/<!-- If your .*\n((?:.*\n)*?) *-->\n/) { $0.output.1 }
    let policies = try ConnectorSettings(data: Data(whole.utf8), file: "settings.plist").policies
    #expect(policies.policy(of: .passwordReset)?.id == "B2C_1_ResetPassword")
    #expect(policies.policy(of: .profileEdit)?.id == "B2C_1_EditProfile")
  }
}
