import B2CConnector
import B2CTestKit
import Foundation
import TestSupport
import Testing

/// Users, scopes, clients and policies whose texts only look the same, because Swift compares other texts than bytes, and
/// claims that say nothing.
@Suite("Identity", .hangLimit)
struct UserIdentityTests {
  /// Signs Alice and then Bob in, who must be two users.
  @discardableResult
  private func twoUsers(
    _ shape: LocalTenant.Shape, _ name: String = "",
    _ change: @escaping @Sendable (inout [String: JSONValue]) -> Void
  ) async throws -> (users: [UserInfo], tenantID: String) {
    let scene = Scene(shape: shape) { $0.changeIDTokenClaims = change }
    let stage = try await SignedInScene(scene, after: 0)
    let (connector, first, second) = (stage.connector, stage.alice, try await stage.signIn(.bob))
    #expect(!first.user.id.utf8.elementsEqual(second.user.id.utf8) && first.user.id != second.user.id, "\(name)")
    #expect(try await connector.users().map(\.name) == [LocalUser.bob.displayName, LocalUser.alice.displayName])
    for (user, result) in [(LocalUser.alice, first), (.bob, second)] {
      #expect(try await connector.accessToken(user: result.user).token == result.accessToken?.token)
      #expect(try await connector.user(id: result.user.id)?.name == user.displayName)
    }
    await scene.expire()
    #expect(try await connector.accessToken(user: first.user).userID == first.user.id)
    #expect(try await connector.users().count == 2)
    return ([first.user, second.user], scene.tenant.tenantID)
  }

  // MARK: Claims that only look the same

  private static let placeholder: JSONValue = "Not supported currently. Use oid claim."

  static let pairs: [(name: String, attacker: [String: JSONValue], victim: [String: JSONValue])] = [
    ("case", ["sub": "vICTIM42"], ["sub": "Victim42"]),
    ("a foreign oid", ["sub": "attacker-9", "oid": "victim-1"], ["sub": "victim-1"]),
    ("the Kelvin sign", ["sub": "\u{212A}im"], ["sub": "kim"]),
    ("another normal form", ["sub": "rene\u{301}"], ["sub": "ren\u{E9}"]),
    ("a moved dot", ["sub": "a", "tid": "b.c"], ["sub": "a.b", "tid": "c"]),
    ("an organization's oid", ["sub": "one", "oid": "acme"], ["sub": "two", "oid": "acme"]),
    ("an escaped text", ["sub": "ren%C3%A9"], ["sub": "ren\u{E9}"]),
    ("an issuer in the subject", ["sub": "x#y"], ["sub": "y"]),
    ("another oid of the placeholder", ["sub": placeholder, "oid": "one"], ["sub": placeholder, "oid": "two"]),
  ]

  @Test("At a generic issuer two subjects are two users in either order", arguments: pairs.indices, [false, true])
  func subjects(_ index: Int, isReversed: Bool) async throws {
    let (name, attacker, victim) = Self.pairs[index]
    try await twoUsers(.openIDConnect, name) { own in
      let isFirst = own["name"]?.string == LocalUser.alice.displayName
      own.merge(isFirst == isReversed ? victim : attacker) { $1 }
    }
  }

  @Test(
    "At Microsoft's authorities GUIDs that differ in case are one user",
    arguments: [LocalTenant.Shape.b2c, .entra, .ciam])
  func foldedGUIDs(_ shape: LocalTenant.Shape) async throws {
    let stage = try await SignedInScene(shape)
    stage.scene.tenant.behavior.changeIDTokenClaims = { claims in
      for name in ["oid", "tid"] { claims[name] = claims[name]?.string.map { .string($0.uppercased()) } }
    }
    let (first, second) = (stage.alice.user, try await stage.signIn().user)
    #expect(first.id == "\(LocalUser.alice.id).\(stage.scene.tenant.tenantID)" && second.id == first.id)
    #expect(try await stage.connector.users().count == 1)
    #expect(try await stage.connector.user(id: first.id.uppercased())?.id == first.id)
  }

  // MARK: Claims that tell nobody apart

  static let useless: [JSONValue] = [
    "", " ", "\t\r\n", "\u{A0}\u{2003}", "\u{200B}\u{FEFF}", "\u{0}", "00000000-0000-0000-0000-000000000000",
    "{00000000-0000-0000-0000-000000000000}", " 00000000-0000-0000-0000-000000000000 ",
    "00000000000000000000000000000000", "(00000000-0000-0000-0000-000000000000)", "0", 0, 7, .null, true, ["one"],
    ["id": "one"],
  ]

  @Test(
    "An object ID or a tenant ID that tells nobody apart counts as missing", arguments: useless,
    [.b2c, .entra, .ciam] as [LocalTenant.Shape])
  func uselessIDs(_ value: JSONValue, _ shape: LocalTenant.Shape) async throws {
    let (users, tenantID) = try await twoUsers(shape) { ($0["oid"], $0["tid"]) = (value, value) }
    for user in users {
      #expect(user.objectID == nil && user.tenantID == nil && user.id == "\(user.subject).\(tenantID)")
    }
  }

  /// Signs in with changed claims, which must fail, and returns the error.
  private func refusal(
    _ shape: LocalTenant.Shape, _ change: @escaping @Sendable (inout [String: JSONValue]) -> Void
  ) async throws -> ConnectorError {
    let connector = try Scene(shape: shape) { $0.changeIDTokenClaims = change }.connector()
    let error = try await #require(throws: ConnectorError.self) { try await connector.signIn() }
    #expect(error.code == .invalidResponse)
    #expect(try await connector.users().isEmpty)
    return error
  }

  @Test(
    "If the placeholder names such an object ID, the sign-in fails and names the claim to add", arguments: useless,
    [.b2c, .entra, .openIDConnect] as [LocalTenant.Shape])
  func placeholder(_ value: JSONValue, _ shape: LocalTenant.Shape) async throws {
    let advice = try await refusal(shape) { ($0["sub"], $0["oid"]) = (Self.placeholder, value) }.recoverySuggestion
    #expect(advice?.contains("User's Object ID") == true)
  }

  @Test(
    "A subject that tells nobody apart is refused", arguments: useless.filter { $0 != "0" },
    [.b2c, .openIDConnect] as [LocalTenant.Shape])
  func subject(_ value: JSONValue, _ shape: LocalTenant.Shape) async throws {
    let error = try await refusal(shape) { ($0["sub"], $0["oid"]) = (value, nil) }
    #expect(error.message.contains("it has no sub"))
  }

  @Test("A subject is what the provider sends", arguments: ["0", "-", "000", " x", "{1}", "0a"])
  func oddSubject(_ text: String) async throws {
    let stage = try await SignedInScene(.openIDConnect, claims: ["sub": .string(text)])
    #expect(stage.alice.user.subject == text)
    #expect(stage.alice.user.id == stage.scene.tenant.issuer + "#" + text.replacing(" ", with: "%20"))
  }

  // MARK: Texts that Swift takes for the same

  static let twins = [("é", "e\u{301}"), ("K", "\u{212A}"), (";", "\u{37E}"), ("`", "\u{1FEF}"), ("Å", "\u{212B}")]

  @Test("Each of two scopes has its own token and its own requests", arguments: twins)
  func scopes(_ one: String, _ other: String) async throws {
    let tenant = LocalTenant(shape: .openIDConnect)
    let connector = try Connector.local(tenant)
    try await connector.signIn()
    async let first = connector.accessToken(scopes: ["api/" + one])
    async let second = connector.accessToken(scopes: ["api/" + other])
    let tokens = try await [first.token, second.token]
    #expect(tokens[0] != tokens[1] && tenant.counters.refreshes == 2)
    for (scope, token) in zip([one, other], tokens) {
      #expect(try await connector.accessToken(scopes: ["api/" + scope]).token == token)
    }
    async let third = connector.accessToken(claims: #"{"\#(one)":null}"#)
    async let fourth = connector.accessToken(claims: #"{"\#(other)":null}"#)
    #expect(try await third.token != fourth.token && tenant.counters.refreshes == 4)
  }

  @Test("A sign-in that one client began cannot be finished by the other", arguments: twins)
  func clients(_ one: String, _ other: String) async throws {
    let scene = Scene(shape: .openIDConnect, clientID: "app" + one)
    let connectors = try [one, other].map { name in
      try scene.connector(scene.settings { $0.clientID = "app" + name })
    }
    let pending = try await connectors[0].beginSignIn()
    let callback = try url(LocalTenant.standardRedirectURI + "?code=1")
    for (connector, code) in zip(connectors, [ErrorCode.invalidResponse, .configuration]) {
      await expectError(ConnectorError.self, code) { try await connector.finishSignIn(pending, callback: callback) }
    }
  }

  @Test("Each of two policies runs itself", arguments: twins.filter { !";`".contains($0.0) })
  func policies(_ one: String, _ other: String) async throws {
    let ids = ["B2C_1_" + one, "B2C_1_" + other]
    let connector = try Connector.local(LocalTenant(policies: ids.map { LocalPolicy($0, .signIn) }))
    for id in ids + ids {
      let user = try await connector.doPolicy(Policy(id))
      #expect(user.policyID.map { Array($0.utf8) } == Array(id.utf8))
    }
  }

  @Test("One user cannot sign in as the other", arguments: twins.filter { $0.0.utf8.allSatisfy { $0 < 0x80 } })
  func signInAs(_ one: String, _ other: String) async throws {
    let stage = try await SignedInScene(.openIDConnect, claims: ["sub": .string("user" + one)])
    let user = stage.alice.user
    #expect(user.id.hasSuffix("user" + one))
    var options = SignInOptions()
    options.user = UserInfo(id: user.id.replacing("user" + one, with: "user" + other))
    await expectError(ConnectorError.self, .wrongUser) { try await stage.connector.signIn(options: options) }
    options.user = user
    #expect(try await stage.connector.signIn(options: options).user.id == user.id)
  }
}

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
