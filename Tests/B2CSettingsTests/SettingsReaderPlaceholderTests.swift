import B2CAuthority
import B2CSettings
import Foundation
import Testing

@Suite struct SettingsReaderPlaceholderTests {
  private static let keys = [
    "authority", "clientId", "scopes", "emailSignUpPolicyId", "faceBookSignInPolicyId", "emailSignInPolicyId",
  ]

  @Test("All that is to be filled in is named at once, with its line, although the file is not well-formed XML")
  func unescaped() throws {
    try check(Samples.template)
  }

  @Test("Lines that end as on Windows are lines", arguments: ["\r\n", "\r"])
  func lineEnds(_ end: String) throws {
    try check(Samples.template.replacing("\n", with: end))
  }

  private func check(_ template: String) throws {
    let error = try #require(failure(of: template))
    #expect(error.problems.map(\.fault) == Self.keys.map { _ in .placeholder })
    #expect(error.problems.map(\.keyPath) == Self.keys)
    let lines = [6, 8, 11, 21, 23, 25].map { "Line \($0): " }
    #expect(zip(error.problems, lines).allSatisfy { $0.message.hasPrefix($1) })
    #expect(error.problems.allSatisfy { $0.answer?.isEmpty == false })
    #expect(
      error.problems[1].value == "<Enter the Application Id assigned to your app by the Azure portal, e.g.580e250c>")
    #expect(error.problems[1].answer?.contains("application (client) ID") == true)
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
    #expect(error.warnings.map(\.keyPath) == ["redirectURL"])
    #expect(error.warnings.first?.suggestion == "redirectUri")
    #expect(others.last?.answer == "http://localhost:3000/tasks")
  }

  @Test(
    "Other ways to say that something is to be filled in",
    arguments: [
      "Enter your client ID", "[Enter the id]", "{clientId}", "$(CLIENT_ID)", "${CLIENT_ID}", "YOUR_CLIENT_ID",
      "%@", "https://YOUR_HOST/", "00000000-0000-0000-0000-000000000000", "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx",
      "TODO", "changeme",
    ])
  func otherForms(_ text: String) throws {
    let error = try #require(failure(of: Samples.plist(["clientId": "<string>\(text)</string>"])))
    #expect(error.problems.map(\.fault) == [.placeholder])
  }

  @Test(
    "A GUID at the end of a placeholder does not make it a value, nor a format string's slashes",
    arguments: [
      "https://yourtenant.b2clogin.com/7bf688ce-8139-4ca8-9391-02fdb6f86d67", "https://%@/tfp/%@/%@",
      "https://$(B2C_HOST)/YOUR_TENANT_ID",
    ])
  func authority(_ text: String) throws {
    let error = try #require(failure(of: Samples.plist(["authority": "<string>\(text)</string>"])))
    #expect(error.problems.map(\.fault) == [.placeholder])
  }

  @Test("A product may be called so", arguments: ["com.yourapp.tasks:/redirect", "com.todo.app:/r", "com.enter:/r"])
  func products(_ text: String) throws {
    #expect(try Samples.settings(["redirectUri": "<string>\(text)</string>"]).redirectURI.absoluteString == text)
  }

  @Test("Names are free to look like one")
  func names() throws {
    let settings = try Samples.settings([
      "policyID": "<dict><key>id</key><string>B2C_1_x</string><key>name</key><string>Your &lt;data&gt;</string></dict>"
    ])
    #expect(settings.policies.selected?.name == "Your <data>")
  }
}
