import B2CAuthority
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
      "authority": "<string>\n  https://contoso.b2clogin.com/contoso.onmicrosoft.com/ </string>",
      "clientId": "<string>\u{FEFF}7bf688ce-8139-4ca8-9391-02fdb6f86d67\u{A0}</string>",
      "scopes": "<array><string> https://contoso.onmicrosoft.com/tasks/read </string></array>",
      "taskWebAPI": "<string> https://api.contoso.com/tasks\t</string>",
      "emailSignInPolicyId": "<string>\u{200B}B2C_1_SignIn </string>",
      "userId": "<string> a@contoso.com </string>",
    ])
    #expect(try settings == Samples.settings(["userId": "<string>a@contoso.com</string>"]))
  }

  @Test("Empty strings in lists are dropped")
  func emptyScopes() throws {
    let settings = try Samples.settings([
      "scopes": "<array><string/><string>https://contoso/read</string><string> </string></array>",
      "additionalScopes": "<array><string></string></array>",
    ])
    #expect(settings.scopes == ["https://contoso/read"])
    #expect(settings.additionalScopes.isEmpty)
  }

  @Test("Optional keys may be absent or empty")
  func optional() throws {
    let settings = try Samples.settings([
      "taskWebAPI": "<string> </string>", "correlationId": "<string></string>", "userId": "<string></string>",
      "policyName": "<string></string>", "policyID": "<string></string>", "fullScreen": nil, "showClaims": nil,
      "additionalScopes": nil,
    ])
    #expect(settings.taskWebAPI == nil && settings.correlationID == nil && settings.userID == nil)
    #expect(settings.policies.selected == nil && settings.warnings.isEmpty)
  }

  @Test("The correlation ID is a UUID")
  func correlationID() throws {
    let settings = try Samples.settings(["correlationId": "<string>580e250c-8f26-49d0-bee8-1c078add1609</string>"])
    #expect(settings.correlationID == UUID(uuidString: "580e250c-8f26-49d0-bee8-1c078add1609"))
  }

  @Test("The kind of an authority can be given")
  func authorityKind() throws {
    let settings = try Samples.settings([
      "authority": "<string>https://login.contoso.com/7bf688ce-8139-4ca8-9391-02fdb6f86d67/v2.0</string>",
      "authorityKind": "<string>CIAM</string>", "emailSignInPolicyId": nil,
    ])
    #expect(settings.authority.kind == .ciam)
    #expect(settings.warnings.isEmpty)
  }

  @Test("A policy may be in the authority")
  func policyInAuthority() throws {
    let settings = try Samples.settings([
      "authority": "<string>https://contoso.b2clogin.com/contoso.onmicrosoft.com/B2C_1_SignIn</string>",
      "emailSignInPolicyId": nil,
    ])
    #expect(settings.authority.policy?.id == "B2C_1_SignIn")
    #expect(settings.warnings.isEmpty)
  }

  @Test("Characters are written in every way that XML has")
  func characters() throws {
    let settings = try Samples.settings([
      "policyName":
        "<string>a&amp;b&lt;&#99;&#x64;&quot;&apos;<![CDATA[<e>&amp;]]>f&gt;</string>",
      "policyID": "<string>B2C_1_x</string>",
    ])
    #expect(settings.policies.selected?.name == "a&b<cd\"'<e>&amp;f>")
  }
}
