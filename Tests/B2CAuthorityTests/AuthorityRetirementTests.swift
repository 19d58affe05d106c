import B2CAuthority
import Foundation
import Testing

@Suite struct AuthorityRetirementTests {
  @Test("The tutorial's own authority is retired, with its replacement")
  func tutorial() throws {
    let authority = try Authority("https://login.microsoftonline.com/hypercubeb2c.onmicrosoft.com/")
    let policy = try Policy("B2C_1_todo_email_signin")
    #expect(authority.retirement(for: nil) == nil)
    let error = try #require(authority.retirement(for: policy))
    #expect(error.error.code == .configuration)
    #expect(error.suggestion == "https://hypercubeb2c.b2clogin.com/hypercubeb2c.onmicrosoft.com/")
    #expect(error.recoverySuggestion?.contains("Change the authority") == true)

    let migrated = try Authority(#require(error.suggestion))
    #expect(migrated.kind == .b2c)
    #expect(migrated.retirement(for: policy) == nil)
    #expect(
      try Endpoints(authority: migrated, policy: policy).token?.absoluteString
        == "https://hypercubeb2c.b2clogin.com/hypercubeb2c.onmicrosoft.com/oauth2/v2.0/token?p=B2C_1_todo_email_signin")
  }

  @Test(
    "Form and policy are kept on the new host",
    arguments: [
      (
        "https://login.microsoftonline.com/tfp/Contoso.onmicrosoft.com/B2C_1_x",
        "https://contoso.b2clogin.com/tfp/Contoso.onmicrosoft.com/B2C_1_x"
      ),
      (
        "https://login.windows.net/contoso.onmicrosoft.com/B2C_1_x",
        "https://contoso.b2clogin.com/contoso.onmicrosoft.com/B2C_1_x"
      ),
      (
        "https://login.microsoft.com/contoso.onmicrosoft.com?p=B2C_1_x",
        "https://contoso.b2clogin.com/contoso.onmicrosoft.com/?p=B2C_1_x"
      ),
      (
        "https://login.partner.microsoftonline.cn/contoso.partner.onmschina.cn/B2C_1_x",
        "https://contoso.b2clogin.cn/contoso.partner.onmschina.cn/B2C_1_x"
      ),
      (
        "https://login.microsoftonline.us/contoso.onmicrosoft.us?p=B2C_1_x",
        "https://contoso.b2clogin.us/contoso.onmicrosoft.us/?p=B2C_1_x"
      ),
    ])
  func formAndPolicy(old: String, new: String) throws {
    let authority = try Authority(old)
    #expect(authority.retirement(for: nil)?.suggestion == new)
    #expect(try Authority(new).description == new)
  }

  @Test(
    "Without the tenant's name there is no suggestion",
    arguments: [
      "https://login.microsoftonline.com/\(guid)?p=B2C_1_x", "https://login.microsoftonline.com/contoso.com/B2C_1_x",
    ])
  func unknownTenantName(text: String) throws {
    let authority = try Authority(text)
    let error = try #require(authority.retirement(for: nil))
    #expect(error.error.code == .configuration)
    #expect(error.suggestion == nil)
    #expect(error.recoverySuggestion != nil)
  }

  @Test(
    "Other hosts are in use",
    arguments: [
      "https://contoso.b2clogin.com/contoso.onmicrosoft.com/B2C_1_x", "https://login.contoso.com/\(guid)/B2C_1_x",
      "http://127.0.0.1:8080/tenant/B2C_1_x", "https://contoso.ciamlogin.com",
    ])
  func otherHosts(text: String) throws {
    let authority = try Authority(text)
    #expect(authority.retirement(for: nil) == nil)
    #expect(authority.retirement(for: try Policy("B2C_1_x")) == nil)
  }

  @Test("Entra ID without a policy is in use")
  func entraID() throws {
    let authority = try Authority("https://login.microsoftonline.com/common")
    #expect(authority.retirement(for: nil) == nil)
    // Told to be Entra ID it has no policies at all, which `Endpoints` says.
    let told = try Authority("https://login.microsoftonline.com/contoso.onmicrosoft.com", kind: .entra)
    #expect(told.retirement(for: try Policy("B2C_1_x")) == nil)
  }
}
