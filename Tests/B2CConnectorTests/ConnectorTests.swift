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

  @Test("A token the API refuses is replaced once by one refresh for a thousand callers")
  func refusedToken() async throws {
    let scene = Scene()
    let connector = try await scene.signedIn()
    // The API forgets the keys that the cached token was signed with; the tenant signs with new ones.
    try scene.tenant.rotateKeys(keepingOld: false)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<1_000 { group.addTask { _ = try await connector.getTaskList() } }
      try await group.waitForAll()
    }
    #expect(scene.tenant.counters.refreshes == 1)
  }

  @Test("A policy or a task API that the settings lack is said so, without a page or a request")
  func missing() async throws {
    let scene = Scene()
    let presenter = scene.script(.signIn(.alice))
    let connector = try scene.connector(scene.settings { $0.taskWebAPI = nil }, presenter: presenter)
    await expectError(ConnectorError.self, .configuration, saying: "name no policy") {
      try await connector.doPolicy(.profileEdit)
    }
    await expectError(ConnectorError.self, .configuration, saying: "name no task API") {
      try await connector.getTaskList()
    }
    // On a custom domain, a policy makes the authority Azure AD B2C, so one that signs in is missed there.
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

  @Test("The retired authority is refused with the corrected URL when the connector is created")
  func retired() throws {
    let scene = Scene()
    let settings = try scene.settings {
      $0.authority = try Authority("https://login.microsoftonline.com/contoso.onmicrosoft.com/")
    }
    let error = try #require(throws: ConnectorError.self) { try scene.connector(settings) }
    #expect(error.code == .configuration)
    #expect("\(error)".contains("https://contoso.b2clogin.com/contoso.onmicrosoft.com/"))
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
}
