import B2CConnector
import B2CTestKit
import Foundation
import TestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("Claims that an API asks for", .hangLimit)
struct ClaimsRequestTests {
  @Test(
    "A claims request that is not a JSON object is refused before anything is sent",
    arguments: ["", "mfa", "[]", "{", "null", #"{"a":1}x"#])
  func isAnObject(_ claims: String) async throws {
    let scene = Scene()
    let connector = try await scene.signedIn()
    let sent = scene.network.requestCount
    await expectError(ConnectorError.self, .configuration, saying: "JSON object") {
      try await connector.accessToken(claims: claims)
    }
    if !claims.isEmpty {
      await expectError(ConnectorError.self, .configuration, saying: "JSON object") {
        try await connector.doPolicy(.signIn, options: SignInOptions(prompt: .login, claimsRequest: claims))
      }
    }
    #expect(scene.network.requestCount == sent)
  }

  @Test("A claims challenge of an API reaches the next sign-in")
  func challenge() async throws {
    let scene = Scene()
    let presenter = scene.script(.signIn(.alice))
    let connector = try await scene.signedIn(presenter: presenter)
    let claims = #"{"access_token":{"nbf":{"essential":true,"value":"1767225600"}}}"#
    let challenge = #"Bearer error="insufficient_claims", claims="\#(Data(claims.utf8).base64EncodedString())""#
    let answer = LocalResponse(status: 401, headers: ["WWW-Authenticate": challenge])
    scene.tasks.faults = [LocalFault(on: .any, times: 2, .respond(answer))]
    let fromTasks = try await #require(throws: ConnectorError.self) { try await connector.getTaskList() }
    let fromData = try await #require(throws: ConnectorError.self) {
      try await connector.data(for: URLRequest(url: scene.tasks.url))
    }
    for error in [fromTasks, fromData] {
      #expect(error.code == .claimsRequired && !error.needsInteraction && error.claims == claims)
      #expect(error.oauthError == "insufficient_claims" && error.status == 401)
    }
    try await connector.doPolicy(.signIn, options: SignInOptions(prompt: .login, claimsRequest: fromData.claims))
    #expect(query(of: try #require(presenter.requests.last).url)["claims"] == claims)
    #expect(try await connector.getTaskList().isEmpty)
  }
}
