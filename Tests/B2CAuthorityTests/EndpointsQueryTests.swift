import B2CAuthority
import Foundation
import Testing

@Suite struct EndpointsQueryTests {
  @Test(arguments: [
    ("https://h/a", "https://h/a?n=v"),
    ("https://h/a?", "https://h/a?n=v"),
    ("https://h/a?p=x", "https://h/a?p=x&n=v"),
    ("https://h/a?p=x&", "https://h/a?p=x&n=v"),
    ("https://h/a?q=%zz+1", "https://h/a?q=%25zz+1&n=v"),
    ("https://h/a?p=x#f", "https://h/a?p=x&n=v"),
  ])
  func parametersComeBehindTheQueryThatIsThere(url: String, expected: String) throws {
    let url = try #require(URL(string: url))
    #expect(Endpoints.appending([("n", "v")], to: url).absoluteString == expected)
  }

  @Test func everythingButUnreservedIsEscaped() throws {
    let url = try #require(URL(string: "https://h/a"))
    let made = Endpoints.appending([("a b", "+;'/:?&=#@\u{E9}\u{1F600}"), ("~-._", "~-._")], to: url)
    #expect(
      made.absoluteString
        == "https://h/a?a%20b=%2B%3B%27%2F%3A%3F%26%3D%23%40%C3%A9%F0%9F%98%80&~-._=~-._")
  }

  @Test func nothingToAppendChangesNothing() throws {
    let url = try #require(URL(string: "https://h/a?p=x#f"))
    #expect(Endpoints.appending([], to: url) == url)
  }

  @Test(arguments: [
    ("https://h/t/oauth2/v2.0/token", "https://h/t/oauth2/v2.0/token?p=B2C_1_x"),
    ("https://h/t/oauth2/v2.0/token?dc=EUS", "https://h/t/oauth2/v2.0/token?dc=EUS&p=B2C_1_x"),
    ("https://h/t/oauth2/v2.0/token?p=b2c_1_x", "https://h/t/oauth2/v2.0/token?p=b2c_1_x"),
    ("https://h/t/oauth2/v2.0/token?dc=EUS&P=b2c_1_x", "https://h/t/oauth2/v2.0/token?dc=EUS&P=b2c_1_x"),
    ("https://h/t/b2c_1_x/oauth2/v2.0/token", "https://h/t/b2c_1_x/oauth2/v2.0/token"),
  ])
  func thePolicyMergesWithAnEndpointOfMetadata(endpoint: String, expected: String) throws {
    let endpoints = try Endpoints(authority: Authority("https://h/t"), policy: Policy("B2C_1_x"))
    let endpoint = try #require(URL(string: endpoint))
    #expect(endpoints.carryingPolicy(endpoint).absoluteString == expected)
  }

  @Test func noPolicyIsAddedWhereItStandsInThePathOrThereIsNone() throws {
    let endpoint = try #require(URL(string: "https://h/t/oauth2/v2.0/token"))
    let inPath = try Endpoints(authority: Authority("https://h/t/B2C_1_x"), policy: nil)
    #expect(inPath.carryingPolicy(endpoint) == endpoint)
    let entra = try Endpoints(authority: Authority("https://login.microsoftonline.com/common"), policy: nil)
    #expect(entra.carryingPolicy(endpoint) == endpoint)
  }
}
