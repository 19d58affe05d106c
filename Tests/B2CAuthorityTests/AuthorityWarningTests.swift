import B2CAuthority
import Testing

@Suite struct AuthorityWarningTests {
  @Test(
    "Another tenant's name is doubted and corrected",
    arguments: [
      (
        "https://contoso.b2clogin.com/fabrikam.onmicrosoft.com/B2C_1_x",
        "https://contoso.b2clogin.com/contoso.onmicrosoft.com/B2C_1_x"
      ),
      (
        "https://contoso.b2clogin.com/contoso.onmircosoft.com/?p=B2C_1_x",
        "https://contoso.b2clogin.com/contoso.onmicrosoft.com/?p=B2C_1_x"
      ),
      ("https://contoso.b2clogin.com/contoso", "https://contoso.b2clogin.com/contoso.onmicrosoft.com/"),
      (
        "https://contoso.b2clogin.com/tfp/contso.onmicrosoft.com/B2C_1_x",
        "https://contoso.b2clogin.com/tfp/contoso.onmicrosoft.com/B2C_1_x"
      ),
      (
        "https://contoso.b2clogin.cn/contoso.onmicrosoft.com",
        "https://contoso.b2clogin.cn/contoso.partner.onmschina.cn/"
      ),
      (
        "https://contoso.ciamlogin.com/fabrikam.onmicrosoft.com",
        "https://contoso.ciamlogin.com/contoso.onmicrosoft.com/"
      ),
    ])
  func anotherTenant(_ text: String, _ corrected: String) throws {
    let warning = try #require(Authority(text).warnings().first)
    #expect(warning.code == .unusualTenant)
    #expect(warning.suggestion == corrected)
    #expect(try Authority(corrected).warnings().isEmpty)
  }

  @Test(
    "Matching tenants, GUIDs and custom domains are not doubted",
    arguments: [
      "https://Contoso.b2clogin.com/contoso.OnMicrosoft.com/B2C_1_x",
      "https://contoso.b2clogin.com/contoso.com/B2C_1_x",
      "https://contoso.b2clogin.com/11111111-2222-3333-4444-555555555555/B2C_1_x",
      "https://login.contoso.com/fabrikam.onmicrosoft.com/B2C_1_x",
      "https://login.microsoftonline.com/contoso.onmicrosoft.com", "https://login.microsoftonline.com/common",
      "https://contoso.ciamlogin.com/", "http://localhost:8080/tenant/?p=B2C_1_x",
      "https://11111111-2222-3333-4444-555555555555.ciamlogin.com/contoso.onmicrosoft.com",
    ])
  func matchingTenants(_ text: String) throws {
    #expect(try Authority(text).warnings().isEmpty)
  }
}

@Suite struct HostWarningTests {
  @Test(
    "An internationalized host is doubted, since its letters may imitate another one's",
    arguments: [
      ("https://login.xn--microsftonline-0zl.com/common", true),
      ("https://contoso.XN--b2clgin-cpf.com/contoso.onmicrosoft.com", true), ("https://xn--bcher-kva.example/a", true),
      ("https://login.contoso.com/xn--a", false), ("https://axn--b.example/", false),
    ])
  func internationalized(text: String, isDoubted: Bool) throws {
    let codes = try Authority(text).warnings().map(\.code)
    #expect(codes == (isDoubted ? [.internationalizedHost] : []))
  }
}
