import B2CAuthority
import Foundation
import Testing

/// Examples that Microsoft has published, with the place where each was read.
@Suite struct EndpointsPublishedExamplesTests {
  // MicrosoftDocs/azure-docs, articles/active-directory-b2c: "openid-connect.md" (April 2020, and its edition before that
  // for the query form), "tokens-overview.md", "active-directory-b2c-reference-oidc.md" (2016 to 2018).
  @Test(
    "Published metadata URLs of Azure AD B2C",
    arguments: [
      (
        "https://fabrikamb2c.b2clogin.com/fabrikamb2c.onmicrosoft.com/b2c_1_sign_in",
        "https://fabrikamb2c.b2clogin.com/fabrikamb2c.onmicrosoft.com/b2c_1_sign_in/v2.0/.well-known/openid-configuration",
        "https://fabrikamb2c.b2clogin.com/fabrikamb2c.onmicrosoft.com/b2c_1_sign_in/discovery/v2.0/keys"
      ),
      (
        "https://contoso.b2clogin.com/contoso.onmicrosoft.com/b2c_1_signupsignin1",
        "https://contoso.b2clogin.com/contoso.onmicrosoft.com/b2c_1_signupsignin1/v2.0/.well-known/openid-configuration",
        "https://contoso.b2clogin.com/contoso.onmicrosoft.com/b2c_1_signupsignin1/discovery/v2.0/keys"
      ),
      (
        "https://fabrikamb2c.b2clogin.com/fabrikamb2c.onmicrosoft.com?p=b2c_1_sign_in",
        "https://fabrikamb2c.b2clogin.com/fabrikamb2c.onmicrosoft.com/v2.0/.well-known/openid-configuration?p=b2c_1_sign_in",
        "https://fabrikamb2c.b2clogin.com/fabrikamb2c.onmicrosoft.com/discovery/v2.0/keys?p=b2c_1_sign_in"
      ),
      (
        "https://login.microsoftonline.com/fabrikamb2c.onmicrosoft.com?p=b2c_1_sign_in",
        "https://login.microsoftonline.com/fabrikamb2c.onmicrosoft.com/v2.0/.well-known/openid-configuration?p=b2c_1_sign_in",
        "https://login.microsoftonline.com/fabrikamb2c.onmicrosoft.com/discovery/v2.0/keys?p=b2c_1_sign_in"
      ),
    ])
  func metadataAndKeys(authority: String, metadata: String, keys: String) throws {
    let endpoints = try Endpoints(authority: Authority(authority), policy: nil)
    #expect(endpoints.metadata.absoluteString == metadata)
    // Pasting the result leads back to the same authority.
    #expect(try Authority(metadata) == Authority(authority))
    #expect(try Authority(keys) == Authority(authority))
  }

  // The metadata document of https://login.microsoftonline.com/common/v2.0, as kept in panva/wellknown
  // (issuers/entra-common).
  @Test("Published endpoints of Entra ID")
  func entraCommon() throws {
    let authority = try Authority("https://login.microsoftonline.com/common/v2.0")
    let endpoints = try Endpoints(authority: authority, policy: nil)
    #expect(
      endpoints.table == """
        https://login.microsoftonline.com/common/v2.0/.well-known/openid-configuration
        https://login.microsoftonline.com/common/oauth2/v2.0/authorize
        https://login.microsoftonline.com/common/oauth2/v2.0/token
        https://login.microsoftonline.com/common/oauth2/v2.0/logout
        https://login.microsoftonline.com/common/oauth2/v2.0/devicecode
        """)
    #expect(authority.accepts(issuer: "https://login.microsoftonline.com/{tenantid}/v2.0"))
  }

  // "custom-domain.md" of the same documentation: the portal's test link before and after the change of domain, the
  // redirect URI of an identity provider with a tenant's GUID, and the issuer that follows the domain.
  @Test("Published endpoints of a custom domain")
  func customDomain() throws {
    let query =
      "?p=B2C_1_susi&client_id=63ba0d17-c4ba-47fd-89e9-31b3c2734339&nonce=defaultNonce"
      + "&redirect_uri=https%3A%2F%2Fjwt.ms&scope=openid&response_type=id_token&prompt=login"
    for host in ["contoso.b2clogin.com", "login.contoso.com"] {
      let authority = try Authority("https://\(host)/contoso.onmicrosoft.com/oauth2/v2.0/authorize\(query)")
      #expect(authority.kind == .b2c)
      #expect(authority.policy?.id == "B2C_1_susi")
      #expect(
        try Endpoints(authority: authority, policy: nil).authorization?.absoluteString
          == "https://\(host)/contoso.onmicrosoft.com/oauth2/v2.0/authorize?p=B2C_1_susi")
      #expect(
        authority.accepts(
          issuer: "https://\(host)/11111111-1111-1111-1111-111111111111/v2.0/"))
    }
    let redirect = try Authority("https://login.contoso.com/11111111-1111-1111-1111-111111111111/oauth2/authresp")
    #expect(redirect.tenant == "11111111-1111-1111-1111-111111111111")
  }

  // "b2clogin.md": the old and the corresponding new endpoint in both forms, on the host login.microsoft.com.
  @Test(
    "Published examples of the move to b2clogin.com",
    arguments: [
      (
        "https://login.microsoft.com/contoso.onmicrosoft.com/B2C_1_susi/oauth2/v2.0/authorize",
        "https://contoso.b2clogin.com/contoso.onmicrosoft.com/B2C_1_susi/oauth2/v2.0/authorize"
      ),
      (
        "https://login.microsoft.com/contoso.onmicrosoft.com/oauth2/v2.0/authorize?p=B2C_1_susi",
        "https://contoso.b2clogin.com/contoso.onmicrosoft.com/oauth2/v2.0/authorize?p=B2C_1_susi"
      ),
    ])
  func migration(old: String, new: String) throws {
    let authority = try Authority(old)
    let retired = try #require(authority.retirement(for: nil))
    #expect(retired.error.code == .configuration)
    let endpoints = try Endpoints(authority: Authority(#require(retired.suggestion)), policy: nil)
    #expect(endpoints.authorization?.absoluteString == new)
  }

  // AzureAD/microsoft-authentication-library-for-dotnet: CiamAuthority and its tests (idgciamdemo), a developer
  // application's B2C authority (fabrikamb2c), TestConstants (sometenantid, catsareamazing).
  @Test(
    "Authorities from the tests of Microsoft's libraries",
    arguments: [
      (
        "https://idgciamdemo.ciamlogin.com", Authority.Kind.ciam,
        "https://idgciamdemo.ciamlogin.com/idgciamdemo.onmicrosoft.com/"
      ),
      (
        "https://idgciamdemo.ciamlogin.com/5e156ef5-9bd2-480c-9de0-d8658f21d3f7", .ciam,
        "https://idgciamdemo.ciamlogin.com/5e156ef5-9bd2-480c-9de0-d8658f21d3f7/"
      ),
      (
        "https://login.ciamlogin.com/idgciamdemo.onmicrosoft.com", .ciam,
        "https://login.ciamlogin.com/idgciamdemo.onmicrosoft.com/"
      ),
      (
        "https://fabrikamb2c.b2clogin.com/tfp/fabrikamb2c.onmicrosoft.com/b2c_1_susi/", .b2c,
        "https://fabrikamb2c.b2clogin.com/tfp/fabrikamb2c.onmicrosoft.com/b2c_1_susi"
      ),
      (
        "https://catsareamazing.com/tfp/catsareamazing/policy/", .b2c,
        "https://catsareamazing.com/tfp/catsareamazing/policy"
      ),
      (
        "https://sometenantid.b2clogin.us/tfp/sometenantid/policy/", .b2c,
        "https://sometenantid.b2clogin.us/tfp/sometenantid/policy"
      ),
      (
        "https://sometenantid.b2clogin.cn/tfp/sometenantid/policy/", .b2c,
        "https://sometenantid.b2clogin.cn/tfp/sometenantid/policy"
      ),
      (
        "https://sometenantid.b2clogin.de/tfp/sometenantid/policy/", .b2c,
        "https://sometenantid.b2clogin.de/tfp/sometenantid/policy"
      ),
    ])
  func authoritiesOfMSAL(text: String, kind: Authority.Kind, canonical: String) throws {
    let authority = try Authority(text)
    #expect(authority.kind == kind)
    #expect(authority.description == canonical)
  }

  // AzureAD/microsoft-authentication-library-for-python, pull request 543: metadata of msidlabciam1 asked by name names the
  // tenant's GUID.
  @Test("The issuer of External ID may name the tenant's GUID")
  func externalID() throws {
    let authority = try Authority("https://msidlabciam1.ciamlogin.com")
    #expect(
      try Endpoints(authority: authority, policy: nil).metadata.absoluteString
        == "https://msidlabciam1.ciamlogin.com/msidlabciam1.onmicrosoft.com/v2.0/.well-known/openid-configuration")
    let id = "d57fb3d4-4b5a-4144-9328-9c1f7d58179d"
    #expect(authority.accepts(issuer: "https://\(id).ciamlogin.com/\(id)/v2.0"))
  }
}
