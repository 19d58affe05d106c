import B2CConnector
import B2CTestKit
import Foundation
import TestSupport
import Testing

/// The six lines of the README, over real loopback HTTP and in memory, and what settings and options change.
@Suite("Connector", .hangLimit)
struct ConnectorTests {
  @Test("The README's lines work over loopback HTTP", .descriptors(), arguments: LocalTenant.AuthorityForm.allCases)
  func readme(form: LocalTenant.AuthorityForm) async throws {
    let (scene, transport) = (Scene(), PatientTransport())
    try await scene.tenant.start()
    try await scene.tasks.start()
    let settings = try scene.settings(form: form)
    // Real sockets may want a pause before a second try, and no one moves the test clock on.
    let connector = try scene.connector(
      settings, presenter: ScriptedPresenter(transport: transport, .signIn(.alice)), transport: transport,
      waitingOn: TestClock())
    let user = try await connector.doPolicy(.signIn)
    #expect(user.name == LocalUser.alice.displayName)
    #expect(try await connector.getTaskList().isEmpty)
    let milk = try await connector.addTask(TaskItem(itemName: "Buy milk"))
    try await connector.addTask(TaskItem(itemName: "Feed the cat"))
    #expect(try await connector.getTaskList().map(\.itemName) == ["Buy milk", "Feed the cat"])
    try await connector.deleteTask(milk)
    #expect(try await connector.getTaskList().map(\.itemName) == ["Feed the cat"])
    try await connector.signOut()
    await expectError(ConnectorError.self, .interactionRequired) { try await connector.getTaskList() }
    await scene.tenant.stop()
    await scene.tasks.stop()
  }

  @Test("On a custom domain a policy makes the authority Azure AD B2C, so a policy that signs in is missed there")
  func missing() async throws {
    let scene = Scene()
    let presenter = scene.script(.signIn(.alice))
    let settings = try scene.settings {
      $0.authority = try Authority("https://login.example.com/tenant")
      $0.policies = .init(others: [try Policy(id: "B2C_1_EditProfile", kind: .profileEdit)])
    }
    await expectError(ConnectorError.self, .configuration, saying: "name no policy") {
      try await scene.connector(settings, presenter: presenter).doPolicy(.signIn)
    }
    #expect(presenter.requests.isEmpty && scene.network.requests.isEmpty)
  }

  @Test(
    "If an authority has no policies, .signIn is the sign-in; no other kind is",
    arguments: [LocalTenant.Shape.ciam, .entra, .openIDConnect])
  func withoutPolicies(_ shape: LocalTenant.Shape) async throws {
    let scene = Scene(shape: shape)
    let presenter = scene.script(.signIn(.alice))
    let connector = try scene.connector(presenter: presenter)
    let user = try await connector.doPolicy(.signIn)
    #expect(user.policyID == nil)
    #expect(try await connector.signIn().user.id == user.id)
    #expect(try await connector.users().count == 1)
    for kind in Policy.Kind.allCases where kind != .signIn {
      await expectError(ConnectorError.self, .configuration, saying: "name no policy") {
        try await connector.doPolicy(kind)
      }
    }
    #expect(presenter.requests.count == 2)
  }

  @Test("A kind that the caller gives wins over that of the settings, in each way to begin a sign-in", arguments: 0..<3)
  func explicitKind(_ way: Int) async throws {
    let id = "B2C_1_Way"
    for (given, listed, isSignIn) in [
      (.signUpOrSignIn, .profileEdit, true), (.signUpOrSignIn, .passwordReset, true),
      (.signIn, .passwordReset, true), (.profileEdit, .signIn, false), (.passwordReset, nil, false),
      // Without a kind the settings decide, then it is one that signs in.
      (nil, .profileEdit, false), (nil, .signUpOrSignIn, true), (nil, nil, true),
    ] as [(Policy.Kind?, Policy.Kind?, Bool)] {
      let scene = Scene(policies: [LocalPolicy(id, .signUpOrSignIn)])
      let settings = try scene.settings { $0.policies = .init(others: [try Policy(id: id, kind: listed)]) }
      let presenter = scene.script(.signIn(.alice))
      let connector = try scene.connector(settings, presenter: presenter)
      let policy = try Policy(id: id.lowercased(), kind: given)
      switch way {
      case 0: try await connector.signIn(policy: policy)
      case 1: try await connector.doPolicy(policy)
      default:
        let pending = try await connector.beginSignIn(policy: policy)
        let state = Secret(query(of: pending.url)["state"] ?? "")
        let page = PresentationRequest(url: pending.url, redirectURI: settings.redirectURI, state: state)
        try await connector.finishSignIn(pending, callback: presenter.present(page))
      }
      #expect(try await connector.users().isEmpty != isSignIn, "\(String(describing: (given, listed)))")
    }
  }

  @Test(
    "The settings complete a policy without a kind, and replace nothing that it names",
    arguments: [
      ("google.com", "facebook.com", "google.com"), (nil, "facebook.com", "facebook.com"),
      ("google.com", nil, "google.com"),
    ] as [(String?, String?, String)])
  func completedPolicy(_ given: String?, _ listed: String?, _ sent: String) async throws {
    let scene = Scene(policies: [LocalPolicy("B2C_1_Way", .signUpOrSignIn)])
    let policy = try Policy(id: "B2C_1_Way", kind: .signIn, domainHint: listed)
    let connector = try scene.connector(scene.settings { $0.policies = .init(others: [policy]) })
    try await connector.signIn(policy: Policy(id: "b2c_1_way", domainHint: given))
    let page = try #require(scene.tenant.requests.last { $0.query["response_type"] == "code" })
    #expect(page.query["domain_hint"] == sent && page.query["p"] == "B2C_1_Way")
  }

  @Test("The margin before a refresh and the allowed skew can be set")
  func configuring() async throws {
    // An id_token that counts from 400 seconds later on.
    let scene = Scene { $0.changeIDTokenClaims = { $0["nbf"] = .number(($0["nbf"]?.double ?? 0) + 400) } }
    let connector = try await scene.signedIn(after: 2_700) {
      ($0.expiryMargin, $0.clockSkew) = (.seconds(1_000), .seconds(500))
    }
    _ = try await connector.accessToken()
    #expect(scene.tenant.counters.refreshes == 1)
  }

  @Test(
    "However negative the margin, no expired token is used",
    arguments: [.seconds(-1), .seconds(-50), .seconds(-86_400), .seconds(Int64.min), .nanoseconds(-1)] as [Duration])
  func negativeMargin(_ margin: Duration) async throws {
    let scene = Scene()
    let connector = try await scene.signedIn(after: 3_590) { $0.expiryMargin = margin }
    _ = try await connector.accessToken()
    #expect(scene.tenant.counters.refreshRequests == 0)
    await scene.clock.advance(by: .seconds(10))
    let token = try await connector.accessToken()
    #expect(scene.tenant.counters.refreshRequests == 1 && token.expiresAt > scene.clock.date)
  }

  @Test("A negative skew refuses no right token", arguments: [.seconds(-600), .seconds(Int64.min)] as [Duration])
  func negativeSkew(_ skew: Duration) async throws {
    let scene = Scene()
    let connector = try await scene.signedIn(after: 3_700) { $0.clockSkew = skew }
    scene.tenant.users[0].displayName = "Renamed"
    _ = try await connector.accessToken()
    #expect(try await connector.users().map(\.name) == ["Renamed"])
  }

  @Test(
    "Without time for a response no refresh token is sent, because it would be lost",
    arguments: [.zero, .seconds(-1), .seconds(Int64.min)] as [Duration])
  func noTime(_ deadline: Duration) async throws {
    let scene = Scene()
    let connector = try await scene.signedIn(after: 3_700)
    let hasty = try scene.connector { $0.limits.deadline = deadline }
    await expectError(ConnectorError.self, .timedOut) { try await hasty.accessToken() }
    await hasty.close()
    #expect(scene.tenant.counters.refreshRequests == 0)
    _ = try await connector.accessToken()
    #expect(scene.tenant.counters.refreshRequests == 1)
  }

  // MARK: What the settings say reaches the requests

  /// A key of the settings, and the name and the value in the sign-in page's query.
  typealias Key = (
    key: String, name: String, value: String, change: @Sendable (inout ConnectorSettings) throws -> Void
  )

  private static let id = "6F1E2D3C-4B5A-4978-8796-A5B4C3D2E1F0"
  private static let tfp = "/tfp/contoso.onmicrosoft.com/B2C_1_SignIn"
  private static let (other, otherRedirect) = ("B2C_1_SignUpOrSignIn", "com.example.other:/callback")
  private static let apis = ["read", "write"].map { "https://contoso.onmicrosoft.com/tasks/\($0)" }

  static let keys: [Key] = [
    (
      "authority", "(path)", tfp + "/oauth2/v2.0/authorize",
      { $0.authority = try Authority("https://contoso.b2clogin.com" + tfp) }
    ),
    ("clientId", "client_id", LocalTenant.standardClientID, { _ in }),
    (
      "scopes", "scope", "openid offline_access \(LocalTenant.standardClientID)",
      { $0.scopes = [LocalTenant.standardClientID] }
    ),
    (
      "additionalScopes", "scope", "openid offline_access \(apis[0]) \(apis[1])",
      { ($0.scopes, $0.additionalScopes) = ([apis[0]], [apis[1]]) }
    ),
    ("redirectUri", "redirect_uri", otherRedirect, { $0.redirectURI = try url(otherRedirect) }),
    ("policies", "p", other, { $0.policies = .init(emailSignIn: try Policy(other)) }),
    ("policyID", "p", other, { $0.policies.selected = try Policy(other) }),
    ("correlationId", "client-request-id", id.lowercased(), { $0.correlationID = UUID(uuidString: id) }),
    ("userId", "login_hint", LocalUser.alice.email, { $0.userID = LocalUser.alice.email }),
  ]

  @Test("Each key is in the request of a sign-in", arguments: keys)
  func reaches(_ key: Key) async throws {
    let scene = Scene(redirectURIs: [Scene.redirect, Self.otherRedirect])
    let settings = try scene.settings(key.change)
    let presenter = scene.script(.signIn(.alice))
    try await scene.connector(settings, presenter: presenter).signIn()
    let request = try #require(presenter.requests.first)
    let values = query(of: request.url).merging(["(path)": request.url.path]) { $1 }
    #expect(values[key.name] == key.value, "\(request.url)")
    #expect(request.redirectURI == settings.redirectURI)
  }

  @Test("The correlation id of the settings is in every token request, and the task API is that of the settings")
  func correlationID() async throws {
    let scene = Scene()
    let connector = try scene.connector(scene.settings { $0.correlationID = UUID(uuidString: Self.id) })
    try await connector.signIn()
    _ = try await connector.accessToken(forceRefresh: true)
    let sent = scene.transport.requests.filter(\.isTokenRequest)
    let ids = sent.map { $0.value(forHTTPHeaderField: "client-request-id") }
    #expect(ids == [Self.id.lowercased(), Self.id.lowercased()])
    _ = try await connector.getTaskList()
    #expect(scene.transport.requests.last?.url == connector.settings.taskWebAPI)
  }

  @Test(
    "At every provider a sign-in, a refresh, userinfo and a sign-out are about the user's one id",
    arguments: [LocalTenant.Shape.b2c, .entra, .ciam, .openIDConnect])
  func oneID(_ shape: LocalTenant.Shape) async throws {
    let stage = try await SignedInScene(Scene(shape: shape))
    let (connector, result, user) = (stage.connector, stage.alice, stage.alice.user)
    #expect(user.hasSession && result.accessToken?.userID == user.id)
    #expect((result.policy == nil) == (shape != .b2c) && (user.policyID == nil) == (shape != .b2c))
    let token = try await connector.accessToken()
    #expect(token.userID == user.id && token.token != result.accessToken?.token)
    let info = try await connector.fetchUserInfo()
    #expect(info.id == user.id && info.subject == user.subject)
    try await connector.signOut(UserInfo(id: user.id), endsBrowserSession: true)
    #expect(try await connector.session == .signedOut)
  }

  // MARK: The session, and the default policy that begins it

  @Test("The session is signed out, signed in or expired, and reading it shows and sends nothing")
  func states() async throws {
    let scene = Scene()
    let presenter = scene.script(.signIn(.alice))
    let connector = try scene.connector(presenter: presenter)
    #expect(try await connector.session == .signedOut)
    #expect(presenter.requests.isEmpty && scene.network.requestCount == 0)
    let user = try await connector.doPolicy(.signIn)
    let before = scene.network.requestCount
    #expect(try await connector.session == .signedIn(user))
    #expect(scene.network.requestCount == before)
    scene.tenant.revokeGrants()
    await scene.expire()
    #expect(try await connector.session == .signedIn(user))
    await expectError(ConnectorError.self, .interactionRequired) { try await connector.getTaskList() }
    #expect(try await connector.session == .expired(user.expired))
    #expect(try await connector.users().map(\.hasSession) == [false])
    try await connector.signOut()
    #expect(try await connector.session == .signedOut)
    #expect(presenter.requests.count == 1)
  }

  @Test("A session is expired when both tokens have expired, and the next call still asks the provider")
  func expiredRefreshToken() async throws {
    let scene = Scene { $0.changeTokenAnswer = { $0["refresh_token_expires_in"] = 5_000 } }
    let stage = try await SignedInScene(scene, after: 4_999)
    #expect(try await stage.connector.session == .signedIn(stage.alice.user))
    await scene.clock.advance(by: .seconds(1))
    #expect(try await stage.connector.session == .expired(stage.alice.user.expired))
    #expect(try await stage.connector.users().first?.hasSession == false)
    // This device's clock may be wrong.
    _ = try await stage.connector.accessToken()
    #expect(try await stage.connector.session.user?.hasSession == true)
  }

  typealias Default = (policies: [Policy.Kind], selected: Policy.Kind?, expected: Policy.Kind?)

  static let defaults: [Default] = [
    ([.signIn], .signUpOrSignIn, .signUpOrSignIn), ([.signIn], .federatedSignIn, .federatedSignIn),
    ([.signIn, .federatedSignIn], nil, .signIn), ([.federatedSignIn, .signUpOrSignIn], nil, .signUpOrSignIn),
    // A policy that edits a profile or resets a password signs nobody in.
    ([.signIn], .profileEdit, .signIn), ([.federatedSignIn], .passwordReset, .federatedSignIn),
    ([.profileEdit, .passwordReset, .federatedSignIn], nil, .federatedSignIn),
    ([.profileEdit, .signUp], .passwordReset, .signUp), ([.profileEdit, .passwordReset], nil, nil),
    ([], .passwordReset, nil),
  ]

  @Test("Every call has the same default policy, which signs users in", arguments: defaults)
  func oneDefault(_ row: Default) async throws {
    func policy(_ kind: Policy.Kind) throws -> Policy { try Policy(id: "B2C_1_" + kind.rawValue, kind: kind) }
    let scene = Scene(policies: Policy.Kind.allCases.map { LocalPolicy("B2C_1_" + $0.rawValue, .signUpOrSignIn) })
    let settings = try scene.settings {
      $0.policies = .init(others: try row.policies.map(policy), selected: try row.selected.map(policy))
    }
    let presenter = scene.script(.signIn(.alice))
    let connector = try scene.connector(settings, presenter: presenter)
    if let expected = try row.expected.map(policy) {
      #expect(try await connector.signIn().user.policyID == expected.id)
      #expect(try await connector.fetchUserInfo().policyID == expected.id)
      #expect(try await connector.doPolicy(.signIn).policyID == expected.id)
    } else {
      await expectError(ConnectorError.self, .configuration, saying: "name no policy") {
        try await connector.doPolicy(.signIn)
      }
      await expectError(ConnectorError.self, .configuration) { try await connector.signIn() }
      #expect(presenter.requests.isEmpty)
    }
  }

  @Test("If the settings name no policy, the one in the authority's URL is the default")
  func authorityDefault() async throws {
    let scene = Scene()
    let connector = try scene.connector(scene.settings(form: .path) { $0.policies = .init() })
    #expect(try await connector.doPolicy(.signIn).policyID == "B2C_1_SignIn")
    #expect(try await connector.signIn().user.policyID == "B2C_1_SignIn")
  }
}
