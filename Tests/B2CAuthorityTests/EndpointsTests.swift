import B2CAuthority
import Foundation
import Testing

extension Endpoints {
  /// The five URLs, one a line.
  var table: String {
    [metadata, authorization, token, endSession, deviceAuthorization]
      .map { $0?.absoluteString ?? "-" }.joined(separator: "\n")
  }
}

@Suite struct EndpointsTests {
  @Test("Each form of authority gives its URLs, and so does its description", arguments: endpointRows)
  func urls(of row: EndpointRow) throws {
    let authority = try Authority(row.text, kind: row.kind)
    let again = try Authority(authority.description, kind: row.kind)
    #expect(again == authority && again.description == authority.description)
    let policy = try row.policy.map { id in try Policy(id) }
    for authority in [authority, again] {
      #expect(try Endpoints(authority: authority, policy: policy).table == row.urls)
    }
  }

  @Test("Another policy keeps the form of the authority")
  func formIsKept() throws {
    let policy = try Policy("B2C_1_x")
    let urls = try ["contoso.onmicrosoft.com", "contoso.onmicrosoft.com/B2C_1_y", "tfp/contoso.onmicrosoft.com"].map {
      let authority = try Authority("https://contoso.b2clogin.com/" + $0)
      return try Endpoints(authority: authority, policy: policy).token?.absoluteString
    }
    #expect(
      urls == [
        "https://contoso.b2clogin.com/contoso.onmicrosoft.com/oauth2/v2.0/token?p=B2C_1_x",
        "https://contoso.b2clogin.com/contoso.onmicrosoft.com/B2C_1_x/oauth2/v2.0/token",
        "https://contoso.b2clogin.com/tfp/contoso.onmicrosoft.com/B2C_1_x/oauth2/v2.0/token",
      ])
  }

  @Test(
    "An authority and a policy that do not fit are refused",
    arguments: [
      ("https://contoso.b2clogin.com/contoso.onmicrosoft.com", nil, nil, "without a policy"),
      ("https://login.contoso.com/contoso.onmicrosoft.com", .b2c, nil, "without a policy"),
      ("https://contoso.ciamlogin.com", nil, "B2C_1_x", "cannot be used with"),
      (
        "https://login.contoso.com/\(guid)", Authority.Kind.ciam, "B2C_1_x",
        "cannot be used with"
      ),
      (
        "https://login.microsoftonline.com/contoso.onmicrosoft.com", .entra, "B2C_1_x",
        "cannot be used with"
      ),
      ("https://login.contoso.com/\(guid)", .openIDConnect, "B2C_1_x", "cannot be used with"),
      ("https://login.microsoftonline.com/common", nil, "B2C_1_x", "does not name its tenant"),
      ("https://accounts.google.com", nil, "B2C_1_x", "does not name its tenant"),
      ("https://auth.example.com/realms/demo", nil, "B2C_1_x", "does not name its tenant"),
    ])
  func mismatch(
    text: String, kind: Authority.Kind?, policy: String?, words: String
  ) throws {
    let authority = try Authority(text, kind: kind)
    let policy = try policy.map { id in try Policy(id) }
    let error = #expect(throws: ConnectorError.self) { try Endpoints(authority: authority, policy: policy) }
    #expect(error?.code == .configuration && error?.message.contains(words) == true)
  }
}

@Suite struct EndpointsQueryTests {
  @Test(
    "Parameters are appended to an existing query",
    arguments: [
      ("https://h/a", "https://h/a?n=v"),
      ("https://h/a?", "https://h/a?n=v"),
      ("https://h/a?p=x", "https://h/a?p=x&n=v"),
      ("https://h/a?p=x&", "https://h/a?p=x&n=v"),
      ("https://h/a?q=%zz+1", "https://h/a?q=%25zz+1&n=v"),
      ("https://h/a?p=x#f", "https://h/a?p=x&n=v"),
    ])
  func appending(url: String, expected: String) throws {
    let url = try #require(URL(string: url))
    #expect(try Endpoints.appending([("n", "v")], to: url).absoluteString == expected)
  }

  @Test("Everything except the unreserved characters is escaped")
  func escaping() throws {
    let url = try #require(URL(string: "https://h/a"))
    let made = try Endpoints.appending([("a b", "+;'/:?&=#@\u{E9}\u{1F600}"), ("~-._", "~-._")], to: url)
    #expect(
      made.absoluteString
        == "https://h/a?a%20b=%2B%3B%27%2F%3A%3F%26%3D%23%40%C3%A9%F0%9F%98%80&~-._=~-._")
  }

  @Test("Without parameters a URL stays unchanged")
  func nothingToAppend() throws {
    let url = try #require(URL(string: "https://h/a?p=x#f"))
    #expect(try Endpoints.appending([], to: url) == url)
  }
}
