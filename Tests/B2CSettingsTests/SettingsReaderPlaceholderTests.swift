import B2CAuthority
import B2CSettings
import Foundation
import Testing

@Suite struct SettingsReaderPlaceholderTests {
  private static let placeholders: [(keyPath: String, line: Int)] = [
    ("authority", 6), ("clientId", 8), ("scopes[0]", 11), ("emailSignUpPolicyId", 21), ("faceBookSignInPolicyId", 23),
    ("emailSignInPolicyId", 25),
  ]

  @Test("All that is to be filled in is named at once, with its line, although the file is not well-formed XML")
  func unescaped() throws {
    let error = try #require(failure(of: Samples.template))
    let found = error.problems.filter { $0.kind == .placeholder }
    #expect(found.map(\.keyPath) == Self.placeholders.map(\.keyPath))
    #expect(found.map(\.line) == Self.placeholders.map(\.line))
    #expect(found.allSatisfy { $0.answer?.isEmpty == false })
    #expect(found[1].value == "<Enter the Application Id assigned to your app by the Azure portal, e.g.580e250c>")
  }

  @Test("The other faults of the template are in the same list")
  func otherFaults() throws {
    let error = try #require(failure(of: Samples.template))
    let others = error.problems.filter { $0.kind != .placeholder }
    #expect(others.map(\.keyPath) == ["taskWebAPI"])
    #expect(others.first?.kind == .portInPath)
    #expect(others.first?.answer == "http://localhost:3000/tasks")
    #expect(others.first?.line == 19)
    #expect(error.warnings.map(\.kind) == [.outOfBandRedirectURI])
  }

  @Test("The escaped form is caught in the same way")
  func escaped() throws {
    let escaped = Samples.template
      .replacing("<Enter", with: "&lt;Enter").replacing("<your", with: "&lt;your")
      .replacing("></string>", with: "&gt;</string>").replacing("name>.", with: "name&gt;.")
    let error = try #require(failure(of: escaped))
    let found = error.problems.filter { $0.kind == .placeholder }
    #expect(found.map(\.keyPath) == Self.placeholders.map(\.keyPath))
    #expect(found.map(\.line) == Self.placeholders.map(\.line))
    #expect((try? PropertyListSerialization.propertyList(from: Data(escaped.utf8), format: nil)) != nil)
  }

  @Test("The excerpt that the tutorial prints, without its head, gives the same list and says what is missing")
  func excerpt() throws {
    let lines = Samples.template.split(separator: "\n").dropFirst(3).joined(separator: "\n")
    let error = try #require(failure(of: lines))
    #expect(error.problems.filter { $0.kind == .placeholder }.map(\.keyPath) == Self.placeholders.map(\.keyPath))
    #expect(error.problems.contains { $0.kind == .malformed && $0.line == 28 })
  }

  @Test("Keys that are missing besides are listed too")
  func missing() throws {
    let error = try #require(failure(of: Samples.template.replacing("redirectUri", with: "redirectURL")))
    #expect(error.problems.last?.kind == .missingKey)
    #expect(error.problems.last?.keyPath == "redirectUri")
    #expect(error.problems.last?.answer?.contains("redirectURL") == true)
    #expect(error.problems.count { $0.kind == .placeholder } == Self.placeholders.count)
  }

  @Test(
    "Other ways to say that something is to be filled in",
    arguments: [
      "Enter your client ID", "[Enter the id]", "{clientId}", "$(CLIENT_ID)", "${CLIENT_ID}", "YOUR_CLIENT_ID",
      "00000000-0000-0000-0000-000000000000", "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx", "TODO", "changeme",
    ])
  func otherForms(_ text: String) throws {
    let error = try #require(failure(of: Samples.plist(["clientId": "<string>\(text)</string>"])))
    #expect(error.problems.map(\.kind) == [.placeholder])
    #expect(error.problems.first?.line == 8)
  }
}

@Suite struct UnusualPlaceholderTests {
  @Test(
    "A placeholder that is not well-formed XML is reported in any place",
    arguments: [
      ("userId", "<string><Enter a name></string>", "userId"),
      ("policyName", "<string><a name></string>", "policyName"),
      ("ownKey", "<string><own value></string>", "ownKey"),
      ("ownKey", "<dict><key>a</key><array><string>x</string><string><y z></string></array></dict>", "ownKey.a[1]"),
      ("policies", "<dict><key>signIn</key><string><id></string></dict>", "policies.signIn"),
      ("fullScreen", "<string><true or false></string>", "fullScreen"),
      ("scopes", "<string><Enter the id></string>", "scopes"),
    ])
  func unescaped(_ key: String, _ value: String, _ keyPath: String) throws {
    let error = try #require(failure(of: Samples.plist([key: value])))
    #expect(error.problems.map(\.kind) == [.placeholder], "\(error)")
    #expect(error.problems.map(\.keyPath) == [keyPath])
    #expect(error.problems.allSatisfy { $0.line != nil && $0.answer?.isEmpty == false })
  }

  @Test("Names are free to look like one")
  func names() throws {
    let settings = try Samples.settings([
      "policyID": "<dict><key>id</key><string>B2C_1_x</string><key>name</key><string>Your &lt;data&gt;</string></dict>"
    ])
    #expect(settings.policies.selected?.name == "Your <data>")
  }
}
