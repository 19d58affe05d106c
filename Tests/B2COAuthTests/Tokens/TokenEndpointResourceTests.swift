import B2COAuth
import B2CTestKit
import Foundation
import TestSupport
import Testing

/// RFC 8707 section 2: the API that a token is for goes to both endpoints.
@Suite("The parameter resource")
struct TokenEndpointResourceTests {
  private static let api = "https://api.example/tasks?a=1&b"

  @Test("goes to the page and to the token endpoint; other extra parameters go to the page only")
  func bothEndpoints() async throws {
    let fixture = Fixture(shape: .openIDConnect)
    let presenter = fixture.script(.signIn(.alice))
    try await fixture.client(presenter: presenter).signIn(
      options: SignInOptions(extraParameters: ["resource": Self.api, "audience": "x"]))
    let items = URLComponents(url: try #require(presenter.requests.first).url, resolvingAgainstBaseURL: true)?
      .queryItems
    #expect(items?.first { $0.name == "resource" }?.value == Self.api)
    #expect(items?.first { $0.name == "audience" }?.value == "x")
    let form = try #require(fixture.transport.tokenForms.first)
    #expect(form["grant_type"] == "authorization_code")
    #expect(form["resource"] == Self.api && form["audience"] == nil)
  }

  @Test("goes with a refresh that names it, and is sent by itself nowhere")
  func refresh() async throws {
    let fixture = Fixture(shape: .openIDConnect)
    let client = try fixture.client()
    try await client.signIn()
    var options = TokenOptions()
    options.extraParameters = ["resource": Self.api]
    _ = try await client.accessToken(options: options)
    await fixture.clock.advance(by: .seconds(4_000))
    _ = try await client.accessToken()
    #expect(fixture.transport.tokenForms.map { $0["resource"] } == [nil, Self.api, nil])
  }
}
