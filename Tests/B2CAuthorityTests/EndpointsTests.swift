import B2CAuthority
import Foundation
import Testing

/// One authority as a developer writes it, the policy that is given with it, and all the URLs that follow.
struct EndpointRow: Sendable, CustomTestStringConvertible {
  /// The endpoints besides the metadata whose URLs are known without it.
  enum Known: Int { case none = 0, noDeviceCode = 3, all = 4 }

  let text: String
  let kind: Authority.Kind?
  let policy: String?
  /// The URLs of metadata, authorization, token, end of session and device authorization, if they are known.
  let urls: [String?]
  /// The URLs that a developer may paste from a portal.
  let pasted: [String]

  /// A row whose URLs begin with the text without a slash at the end, unless they begin with another.
  init(
    _ text: String, kind: Authority.Kind? = nil, policy: String? = nil, at base: String? = nil, query: String = "",
    knows known: Known = .noDeviceCode
  ) {
    (self.text, self.kind, self.policy) = (text, kind, policy)
    let base = base ?? (text.hasSuffix("/") ? String(text.dropLast()) : text)
    let endpoints = ["authorize", "token", "logout", "devicecode"].prefix(known.rawValue)
      .map { base + "/oauth2/v2.0/" + $0 + query }
    let isGeneric = known == .none
    let metadata = base + (isGeneric ? "" : "/v2.0") + "/.well-known/openid-configuration" + query
    let all = [metadata] + endpoints
    urls = (0..<5).map { $0 < all.count ? all[$0] : nil }
    let others = isGeneric ? [] : ["/discovery/v2.0/keys", "/openid/v2.0/userinfo", "/oauth2/authresp"]
    pasted = all + others.map { base + $0 + query }
  }

  var testDescription: String { "\(text) + \(policy ?? "no policy")" }
}

@Suite struct EndpointsTests {
  static let rows: [EndpointRow] = [
    // The retired host. The first is the tutorial's own.
    EndpointRow("\(entra)/hypercubeb2c.onmicrosoft.com/", policy: "B2C_1_todo_signin", query: "?p=B2C_1_todo_signin"),
    EndpointRow("\(entra)/tfp/contoso.onmicrosoft.com/B2C_1_x"),
    EndpointRow("\(entra)/contoso.onmicrosoft.com/B2C_1_x"),
    EndpointRow(
      "\(entra)/TFP/contoso.onmicrosoft.com/", policy: "B2C_1_x",
      at: "\(entra)/tfp/contoso.onmicrosoft.com/B2C_1_x"),
    EndpointRow(
      "\(entra)/contoso.onmicrosoft.com/?p=B2C_1_x", at: "\(entra)/contoso.onmicrosoft.com", query: "?p=B2C_1_x"),
    EndpointRow(
      "\(entra)/te/contoso.onmicrosoft.com/B2C_1_x/oauth2/authresp",
      at: "\(entra)/tfp/contoso.onmicrosoft.com/B2C_1_x"),
    // Hosts of Azure AD B2C. The given policy wins, and the form stays.
    EndpointRow("\(contoso)/B2C_1_x"), EndpointRow("\(contoso)/B2C_1_y/", policy: "B2C_1_x", at: "\(contoso)/B2C_1_x"),
    EndpointRow("\(contoso)/NoPrefix"), EndpointRow("\(contoso)/B2C_1_x?p=b2c_1_X", at: "\(contoso)/B2C_1_x"),
    EndpointRow(
      "HTTPS://Contoso.B2CLogin.com:443//Contoso.onmicrosoft.com//b2c_1_X//",
      at: "https://Contoso.B2CLogin.com/Contoso.onmicrosoft.com/b2c_1_X"),
    EndpointRow(contoso, policy: "B2C_1_x", query: "?p=B2C_1_x"),
    EndpointRow("\(contoso)/?p=B2C_1_y", policy: "B2C_1_x", at: contoso, query: "?p=B2C_1_x"),
    EndpointRow("\(contoso)/oauth2/authorize?api-version=1.0", policy: "B2C_1_x", at: contoso, query: "?p=B2C_1_x"),
    // The portal's test link.
    EndpointRow(
      "\(contoso)/oauth2/v2.0/authorize?p=B2C_1_x&client_id=00000000-0000-0000-0000-000000000000&nonce=defaultNonce"
        + "&redirect_uri=https%3A%2F%2Fjwt.ms&scope=openid&response_type=id_token&prompt=login",
      at: contoso, query: "?p=B2C_1_x"),
    EndpointRow("https://contoso.b2clogin.com/tfp/contoso.onmicrosoft.com/B2C_1_x/"),
    EndpointRow(
      "https://contoso.b2clogin.com/tfp/contoso.onmicrosoft.com", policy: "B2C_1A_x",
      at: "https://contoso.b2clogin.com/tfp/contoso.onmicrosoft.com/B2C_1A_x"),
    EndpointRow("https://contoso.b2clogin.com/775527FF-9a37-4307-8b3d-cc311f58d925/b2c_1_x"),
    EndpointRow("https://contoso.b2clogin.cn/contoso.partner.onmschina.cn/B2C_1_x"),
    EndpointRow("https://contoso.b2clogin.us/contoso.onmicrosoft.us/B2C_1_x"),
    // Azure AD B2C on a custom domain. The second is in the tests of Microsoft's library for .NET.
    EndpointRow("\(custom)/contoso.onmicrosoft.com/SignIn"), EndpointRow("https://catsareamazing.com/tfp/cats/policy/"),
    EndpointRow("https://Login.Contoso.com:8443/\(guid)/B2C_1_x"),
    EndpointRow("\(custom)/\(guid)", policy: "B2C_1_x", query: "?p=B2C_1_x"),
    EndpointRow("\(custom)/\(guid)", kind: .b2c, policy: "B2C_1_x", query: "?p=B2C_1_x"),
    EndpointRow("\(custom)/contoso.onmicrosoft.com?p=x", at: "\(custom)/contoso.onmicrosoft.com", query: "?p=x"),
    EndpointRow(
      "\(custom)/tfp/contoso.onmicrosoft.com", policy: "B2C_1_x",
      at: "\(custom)/tfp/contoso.onmicrosoft.com/B2C_1_x"),
    // External ID. On a custom domain, a tenant alone is of this kind.
    EndpointRow("https://contoso.ciamlogin.com", at: "https://contoso.ciamlogin.com/contoso.onmicrosoft.com"),
    EndpointRow("https://contoso.ciamlogin.com/contoso.onmicrosoft.com"),
    EndpointRow("https://contoso.ciamlogin.com/\(guid)"), EndpointRow("\(custom)/contoso.onmicrosoft.com"),
    EndpointRow("https://\(guid).ciamlogin.com/", at: "https://\(guid).ciamlogin.com/\(guid)"),
    EndpointRow("https://contoso.ciamlogin.com/v2.0", at: "https://contoso.ciamlogin.com/contoso.onmicrosoft.com"),
    EndpointRow("https://login.ciamlogin.com/contoso.onmicrosoft.com"), EndpointRow("\(custom)/\(guid)"),
    EndpointRow("\(custom)/\(guid)/v2.0", kind: .ciam, at: "\(custom)/\(guid)"),
    EndpointRow("\(custom)/\(guid)/v2.0", at: "\(custom)/\(guid)"), EndpointRow("http://localhost:8080/\(guid)"),
    EndpointRow("https://LOGIN.CONTOSO.COM/\(guid.uppercased())"),
    EndpointRow("https://login.contoso.cn/contoso.partner.onmschina.cn"),
    EndpointRow("\(entra)/\(guid)", kind: .ciam),
    // Entra ID.
    EndpointRow("\(entra)/common", knows: .all), EndpointRow("\(entra)/\(guid)", knows: .all),
    EndpointRow("\(entra)/contoso.onmicrosoft.com/", knows: .all),
    EndpointRow("\(entra)/organizations/v2.0", at: "\(entra)/organizations", knows: .all),
    EndpointRow("https://login.windows.net/common", knows: .all),
    EndpointRow("https://login.microsoftonline.us/common", knows: .all),
    EndpointRow("https://login.sovcloud-identity.fr/contoso.fr", knows: .all),
    EndpointRow("https://login.partner.microsoftonline.cn/common", knows: .all),
    EndpointRow(
      "https://login.microsoftonline.us/contoso.onmicrosoft.us/v2.0",
      at: "https://login.microsoftonline.us/contoso.onmicrosoft.us", knows: .all),
    EndpointRow("http://127.0.0.1:8080/tenant/", kind: .entra, knows: .all),
    // Generic issuers.
    EndpointRow("\(custom)/\(guid)/v2.0", kind: .openIDConnect, knows: .none),
    EndpointRow("\(entra)/common", kind: .openIDConnect, knows: .none),
    EndpointRow("https://auth.example.com/realms/Demo", knows: .none),
    EndpointRow("https://accounts.google.com/", knows: .none), EndpointRow("\(custom)/contoso.com", knows: .none),
    EndpointRow("\(custom)/tenant/oauth2/v2.0/authorize", at: "\(custom)/tenant/v2.0", knows: .none),
    EndpointRow("\(custom)/\(guid)/as", knows: .none), EndpointRow("\(custom)/realms/\(guid)", knows: .none),
    EndpointRow("https://dev.example.com/oauth2/default", knows: .none),
    EndpointRow("https://10.0.0.5:8443/adfs", knows: .none),
    EndpointRow("http://localhost:80/tenant", at: "http://localhost/tenant", knows: .none),
    EndpointRow("http://127.0.0.1:8080/tenant/", knows: .none),
    // This machine.
    EndpointRow("http://127.0.0.1:8080/tenant/", policy: "B2C_1_x", query: "?p=B2C_1_x"),
    EndpointRow("http://127.0.0.1:3000/tenant?p=B2C_1_x", at: "http://127.0.0.1:3000/tenant", query: "?p=B2C_1_x"),
    EndpointRow("http://localhost:8080/tenant/B2C_1_x"), EndpointRow("http://[::1]:8080/tfp/tenant/policy"),
    // A policy with characters that need escapes.
    EndpointRow(contoso, policy: "B2C_1_a+b;c'é", query: "?p=B2C_1_a%2Bb%3Bc%27%C3%A9"),
    EndpointRow("\(contoso)/B2C_1_a+b;c'%C3%A9", at: "\(contoso)/B2C_1_a%2Bb%3Bc%27%C3%A9"),
  ]

  private func urls(of endpoints: Endpoints) -> [String?] {
    [
      endpoints.metadata, endpoints.authorization, endpoints.token, endpoints.endSession, endpoints.deviceAuthorization,
    ].map { $0?.absoluteString }
  }

  @Test(
    "Each form of authority gives its URLs, and so do its description and each of these URLs when pasted",
    arguments: rows)
  func urls(of row: EndpointRow) throws {
    let authority = try Authority(row.text, kind: row.kind)
    let policy = try row.policy.map { id in try Policy(id) }
    #expect(try urls(of: Endpoints(authority: authority, policy: policy)) == row.urls)
    let again = try Authority(authority.description, kind: row.kind)
    #expect(again == authority && again.description == authority.description)
    #expect(try urls(of: Endpoints(authority: again, policy: policy)) == row.urls)
    for url in row.pasted {
      let pasted = try Authority(url, kind: row.kind)
      #expect(try urls(of: Endpoints(authority: pasted, policy: nil)) == row.urls, "\(url)")
    }
  }

  @Test(
    "An authority and a policy that do not fit are refused",
    arguments: [
      (contoso, nil, nil, "without a policy"), ("\(custom)/contoso.onmicrosoft.com", .b2c, nil, "without a policy"),
      ("https://contoso.ciamlogin.com", nil, "B2C_1_x", "cannot be used with"),
      ("\(custom)/\(guid)", .ciam, "B2C_1_x", "cannot be used with"),
      ("\(entra)/contoso.onmicrosoft.com", .entra, "B2C_1_x", "cannot be used with"),
      ("\(custom)/\(guid)", .openIDConnect, "B2C_1_x", "cannot be used with"),
      ("\(entra)/common", nil, "B2C_1_x", "does not name its tenant"),
      ("https://accounts.google.com", nil, "B2C_1_x", "does not name its tenant"),
      ("https://auth.example.com/realms/demo", nil, "B2C_1_x", "does not name its tenant"),
    ] as [(String, Authority.Kind?, String?, String)])
  func mismatch(text: String, kind: Authority.Kind?, policy: String?, words: String) throws {
    let authority = try Authority(text, kind: kind)
    let policy = try policy.map { id in try Policy(id) }
    let error = try #require(throws: ConnectorError.self) { try Endpoints(authority: authority, policy: policy) }
    #expect(error.code == .configuration && error.message.contains(words))
    // Only on a custom domain the kind may be the mistake.
    let namesKind = error.recoverySuggestion?.contains("set `authorityKind` to `ciam`") == true
    #expect(namesKind == (kind == .b2c))
  }

  @Test(
    "Parameters are escaped and appended to an existing query",
    arguments: [
      ("https://h/a", "https://h/a?"), ("https://h/a?", "https://h/a?"), ("https://h/a?p=x", "https://h/a?p=x&"),
      ("https://h/a?p=x&", "https://h/a?p=x&"), ("https://h/a?q=%zz+1", "https://h/a?q=%25zz+1&"),
      ("https://h/a?p=x#f", "https://h/a?p=x&"),
    ])
  func appending(url: String, start: String) throws {
    let url = try #require(URL(string: url))
    let appended = try Endpoints.appending([("a b", "+/&=#\u{E9}"), ("~", "")], to: url)
    #expect(appended.absoluteString == start + "a%20b=%2B%2F%26%3D%23%C3%A9&~=")
    #expect(try Endpoints.appending([], to: url) == url)
  }
}
