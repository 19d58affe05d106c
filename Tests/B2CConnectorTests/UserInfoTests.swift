import B2CConnector
import B2CTestKit
import Foundation
import TestSupport
import Testing

@Suite("User info", .hangLimit)
struct UserInfoTests {
  /// Alice, signed in at a generic issuer.
  private func signedIn(
    after seconds: Int = 0, _ behavior: (inout LocalTenant.Behavior) -> Void = { _ in }
  ) async throws -> SignedInScene {
    try await SignedInScene(Scene(shape: .openIDConnect, behavior: behavior), after: seconds)
  }

  /// The requests to the userinfo endpoint.
  private func requests(_ scene: Scene) -> [URLRequest] {
    scene.transport.requests.filter { $0.path.hasSuffix("/userinfo") }
  }

  @Test("A response about another user, if only by case, is refused (OpenID Connect Core 5.3.2)")
  func anotherUser() async throws {
    let stage = try await signedIn { $0.changeUserInfo = { $0["sub"] = .string(LocalUser.alice.id.uppercased()) } }
    await expectError(ConnectorError.self, .invalidResponse) { try await stage.connector.fetchUserInfo() }
    #expect(requests(stage.scene).count == 1)
    #expect(try await stage.connector.session == .signedIn(stage.alice.user))
  }

  static let refusals: [(status: Int, body: String, code: ErrorCode, requests: Int)] = [
    (408, "", .timedOut, 1), (429, "", .throttled, 1), (503, "", .serviceUnavailable, 1), (403, "", .server, 1),
    (200, "not JSON", .invalidResponse, 1), (200, #"{"name":"no sub"}"#, .invalidResponse, 1),
    // A token that the endpoint refuses is replaced once.
    (401, "", .unauthorized, 2),
  ]

  @Test("A refusal of the endpoint is an error with its URL, its status and the wait it asks for", arguments: refusals)
  func refusal(_ status: Int, _ body: String, _ code: ErrorCode, _ count: Int) async throws {
    let stage = try await signedIn(after: 120)
    let answer = LocalResponse(status: status, headers: ["Retry-After": "7"], body: Data(body.utf8))
    stage.scene.tenant.faults = [LocalFault(on: .path("/userinfo"), .respond(answer))]
    let error = try await #require(throws: ConnectorError.self) { try await stage.connector.fetchUserInfo() }
    #expect(error.code == code && error.url?.hasSuffix("/userinfo") == true)
    if status != 200 { #expect(error.status == status && error.retryAfter == 7) }
    let sent = requests(stage.scene).map { $0.value(forHTTPHeaderField: "Authorization") }
    #expect(sent.count == count && Set(sent).count == count)
    #expect(try await stage.connector.session.user?.hasSession == true)
  }

  @Test("Without an endpoint that can be used, and at Microsoft's authorities, the verified claims are returned")
  func withoutEndpoint() async throws {
    let unusable = [nil, "", "x:", "http://127.0.0.1:9404/x", "https://me@evil.example/x"] as [JSONValue?]
    let generic = unusable.map { url in
      Scene(shape: .openIDConnect) { $0.changeMetadata = { $0["userinfo_endpoint"] = url } }
    }
    for scene in [Scene(), Scene(shape: .entra)] + generic {
      let stage = try await SignedInScene(scene, after: 0)
      #expect(try await stage.connector.fetchUserInfo().claims == stage.alice.user.claims)
      #expect(requests(scene).isEmpty)
    }
    await expectError(ConnectorError.self, .interactionRequired) { try await Scene().connector().fetchUserInfo() }
  }

  @Test("The properties of a user are read from the claims as each service writes them")
  func properties() async throws {
    let microsoft = try await SignedInScene(.b2c, claims: ["newUser": "true"]).alice.user
    #expect(microsoft.objectID == LocalUser.alice.id && microsoft.isNewUser)
    let other = try await SignedInScene(.openIDConnect, claims: ["newUser": false]).alice.user
    #expect(other.id.hasSuffix("#" + other.subject) && other.tenantID == nil && !other.isNewUser)
    // `acr` names a policy at Microsoft's authorities only.
    let acr = try await SignedInScene(.b2c, claims: ["tfp": nil, "acr": "b2c_1_signin"]).alice.user
    #expect(acr.policyID == "b2c_1_signin")
    let silver = try await SignedInScene(.openIDConnect, claims: ["acr": "urn:mace:incommon:iap:silver"]).alice.user
    #expect(silver.policyID == nil)
  }

  @Test(
    "The email addresses are those of the first claim that has one",
    arguments: [
      (["emails": [], "email": "ada@example.com"], ["ada@example.com"]),
      (["emails": [""], "email": "ada@example.com"], ["ada@example.com"]),
      (["emails": "ada@example.com", "email": "other@example.com"], ["ada@example.com"]),
      (["emails": ["ada@example.com", "other@example.com"]], ["ada@example.com", "other@example.com"]),
      (["emails": 1, "email": ""], []),
    ] as [([String: JSONValue], [String])])
  func addresses(_ claims: [String: JSONValue], _ expected: [String]) {
    let user = UserInfo(id: "ada", claims: claims)
    #expect(user.emails == expected && user.username == expected.first)
  }
}
