import B2CAuthority
import B2CSettings
import Foundation
import Testing

@Suite struct SettingsReaderTests {
  @Test(
    "Every spelling of true",
    arguments: ["<true/>", "<true></true>", "<integer>1</integer>", "<real>1.0</real>"])
  func trueSpellings(_ value: String) throws {
    let settings = try Samples.settings(["fullScreen": value, "showClaims": value])
    #expect(settings.fullScreen)
    #expect(settings.showClaims)
  }

  @Test(
    "Every spelling of false",
    arguments: ["<false/>", "<integer>0</integer>", "<real>0</real>", nil])
  func falseSpellings(_ value: String?) throws {
    let settings = try Samples.settings(["fullScreen": value, "showClaims": value])
    #expect(!settings.fullScreen)
    #expect(!settings.showClaims)
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
    #expect(settings.clientID == "7bf688ce-8139-4ca8-9391-02fdb6f86d67")
    #expect(settings.scopes == ["https://contoso.onmicrosoft.com/tasks/read"])
    #expect(settings.taskWebAPI?.absoluteString == "https://api.contoso.com/tasks")
    #expect(settings.policies.emailSignIn?.id == "B2C_1_SignIn")
    #expect(settings.userID == "a@contoso.com")
    #expect(try settings == Samples.settings(["userId": "<string>a@contoso.com</string>"]))
  }

  @Test("The host of a URL may be internationalized, in its ASCII form")
  func internationalizedHosts() throws {
    let settings = try Samples.settings([
      "redirectUri": "<string>https://xn--bcher-kva.example/back</string>",
      "taskWebAPI": "<string>https://xn--bcher-kva.example/tasks</string>",
    ])
    #expect(settings.redirectURI.absoluteString == "https://xn--bcher-kva.example/back")
    #expect(settings.taskWebAPI?.absoluteString == "https://xn--bcher-kva.example/tasks")
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
    #expect(settings.taskWebAPI == nil)
    #expect(settings.correlationID == nil)
    #expect(settings.userID == nil)
    #expect(settings.policies.selected == nil)
    #expect(settings.warnings.isEmpty)
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
