import B2CConnector
import B2CTestKit
import Foundation
import TestSupport
import Testing

/// The six lines of the README, over real loopback HTTP and in memory.
@Suite("Connector", .hangLimit)
struct ConnectorTests {
  @Test("The README's lines work over loopback HTTP", .descriptors(), arguments: LocalTenant.AuthorityForm.allCases)
  func readme(form: LocalTenant.AuthorityForm) async throws {
    let scene = Scene()
    try await scene.tenant.start()
    try await scene.tasks.start()
    let settings = try scene.settings(form: form)
    let transport = PatientTransport()
    // Real sockets may want a pause before a second try, and no one moves the test clock on.
    let connector = try scene.connector(
      settings, presenter: ScriptedPresenter(transport: transport, .signIn(.alice)), transport: transport,
      waitingOn: TestClock())
    let user = try await connector.doPolicy(.signIn)
    #expect(user.name == LocalUser.alice.displayName)
    #expect(try await connector.getTaskList().isEmpty)
    let milk = try await connector.addTask(TaskItem(itemName: "Buy milk"))
    try await connector.addTask(TaskItem(itemName: "Feed the cat"))
    let tasks = try await connector.getTaskList()
    #expect(tasks.map(\.itemName) == ["Buy milk", "Feed the cat"])
    try await connector.deleteTask(milk)
    #expect(try await connector.getTaskList().map(\.itemName) == ["Feed the cat"])
    try await connector.signOut()
    await expectError(ConnectorError.self, .interactionRequired) { try await connector.getTaskList() }
    await scene.tenant.stop()
    await scene.tasks.stop()
  }

  @Test(
    "What addTask returns can be deleted, in every dialect",
    arguments: [TaskDialect.tutorial, .repository, .rest])
  func deletesWhatItAdded(_ dialect: TaskDialect) async throws {
    let tenant = LocalTenant()
    let connector = try Connector.local(tenant, LocalTaskServer(tenant: tenant, dialect: dialect))
    try await connector.doPolicy(.signIn)
    let milk = try await connector.addTask(TaskItem(itemName: "Buy milk"))
    try await connector.addTask(TaskItem(itemName: "Feed the cat"))
    try await connector.deleteTask(milk)
    #expect(try await connector.getTaskList().map(\.itemName) == ["Feed the cat"])
  }

  @Test("A file whose only policy is policyID signs in by it whatever its name, and keeps its tokens every time")
  func onlyPolicy() async throws {
    let scene = Scene(policies: [LocalPolicy("B2C_1_susi_reset_v2", .signUpOrSignIn)])
    let file: [String: Any] = [
      "authority": scene.tenant.authority(form: .query, policy: nil), "clientId": scene.tenant.clientID,
      "scopes": scene.tenant.apiScopes, "redirectUri": LocalTenant.standardRedirectURI,
      "taskWebAPI": scene.tasks.url.absoluteString, "policyID": "B2C_1_susi_reset_v2",
    ]
    let data = try PropertyListSerialization.data(fromPropertyList: file, format: .xml, options: 0)
    let connector = try scene.connector(ConnectorSettings(data: data))
    for _ in 0..<2 {
      #expect(try await connector.doPolicy(.signIn).policyID == "B2C_1_susi_reset_v2")
      #expect(try await connector.getTaskList().isEmpty)
      await scene.clock.advance(by: .seconds(15 * 86_400))
      await expectError(ConnectorError.self, .interactionRequired) { try await connector.getTaskList() }
    }
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

  @Test("A policy that the settings lack is said so, without opening anything")
  func missingPolicy() async throws {
    let scene = Scene()
    let presenter = scene.script(.signIn(.alice))
    let connector = try scene.connector(presenter: presenter)
    await expectError(ConnectorError.self, .configuration, saying: "name no policy") {
      try await connector.doPolicy(.profileEdit)
    }
    #expect(presenter.requests.isEmpty)
  }

  @Test("A task API that the settings lack is said so, without a request")
  func missingTaskAPI() async throws {
    let scene = Scene()
    var settings = try scene.settings()
    settings.taskWebAPI = nil
    let connector = try scene.connector(settings)
    await expectError(ConnectorError.self, .configuration, saying: "name no task API") {
      try await connector.getTaskList()
    }
    #expect(scene.network.requests.isEmpty)
  }

  @Test(
    "Where an authority has no policies, .signIn is the sign-in; no other kind is",
    arguments: [LocalTenant.Shape.ciam, .entra, .openIDConnect])
  func withoutPolicies(_ shape: LocalTenant.Shape) async throws {
    let tenant = LocalTenant(shape: shape)
    let presenter = ScriptedPresenter(transport: LocalNetwork(tenant), .signIn(.alice))
    let connector = try Connector.local(tenant, presenter: presenter)
    let user = try await connector.doPolicy(.signIn)
    #expect(user.policyID == nil)
    #expect(try await connector.signIn().user.id == user.id)
    #expect(try await connector.users().count == 1)
    for kind in [Policy.Kind.signUp, .signUpOrSignIn, .federatedSignIn, .profileEdit, .passwordReset] {
      await expectError(ConnectorError.self, .configuration, saying: "name no policy") {
        try await connector.doPolicy(kind)
      }
    }
    #expect(presenter.requests.count == 2)
  }

  @Test("On a custom domain a policy makes the authority Azure AD B2C: one that signs in is missed there")
  func customDomain() async throws {
    let tenant = LocalTenant()
    let presenter = ScriptedPresenter(transport: LocalNetwork(tenant), .signIn(.alice))
    var settings = try tenant.settings()
    settings.authority = try Authority("https://login.example.com/tenant")
    settings.policies = .init(others: [try Policy(id: "B2C_1_EditProfile", kind: .profileEdit)])
    var environment = Connector.Environment()
    environment.presenter = presenter
    environment.cache = InMemoryTokenCache()
    let connector = try Connector(settings: settings, environment: environment)
    await expectError(ConnectorError.self, .configuration, saying: "name no policy") {
      try await connector.doPolicy(.signIn)
    }
    #expect(presenter.requests.isEmpty)
  }

  @Test("The retired authority is refused with the corrected URL before anything opens")
  func retired() throws {
    let settings = try ConnectorSettings(
      authority: Authority("https://login.microsoftonline.com/contoso.onmicrosoft.com/"),
      clientID: LocalTenant.standardClientID, scopes: [LocalTenant.standardClientID],
      redirectURI: #require(URL(string: LocalTenant.standardRedirectURI)),
      policies: .init(emailSignIn: Policy("B2C_1_SignIn")))
    let error = try #require(throws: ConnectorError.self) {
      try Connector(settings: settings, presenter: Scene().script(.signIn(.alice)), cache: InMemoryTokenCache())
    }
    #expect(error.code == .configuration)
    #expect("\(error)".contains("https://contoso.b2clogin.com/contoso.onmicrosoft.com/"))
  }

  @Test("A profile edit that the settings name leaves no session, also when it is run by its id")
  func policyByID() async throws {
    let scene = Scene()
    var settings = try scene.settings()
    settings.policies.others = [try Policy(id: "B2C_1_EditProfile", kind: .profileEdit)]
    let cache = InMemoryTokenCache()
    let presenter = ScriptedPresenter(
      transport: scene.network, .signIn(.alice), .editProfile(displayName: "Alice B."))
    let connector = try scene.connector(settings, presenter: presenter, cache: cache)
    try await connector.doPolicy(.signIn)
    let edited = try await connector.doPolicy(Policy("b2c_1_editprofile"))
    #expect(edited.name == "Alice B.")
    let key = try #require(await cache.keys().first)
    #expect(await cache.record(for: key)?.policyID == "B2C_1_SignIn")
    #expect(try await connector.users().map(\.name) == ["Alice B."])
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
      var settings = try scene.settings()
      settings.policies = .init(others: [try Policy(id: id, kind: listed)])
      let presenter = scene.script(.signIn(.alice))
      let connector = try scene.connector(settings, presenter: presenter)
      let policy = try Policy(id: id.lowercased(), kind: given)
      switch way {
      case 0: try await connector.signIn(policy: policy)
      case 1: try await connector.doPolicy(policy)
      default:
        let pending = try await connector.beginSignIn(policy: policy)
        let items = URLComponents(url: pending.url, resolvingAgainstBaseURL: true)?.queryItems
        let state = Secret(items?.first { $0.name == "state" }?.value ?? "")
        let page = PresentationRequest(url: pending.url, redirectURI: settings.redirectURI, state: state)
        try await connector.finishSignIn(pending, callback: presenter.present(page))
      }
      let row = "\(String(describing: given)), \(String(describing: listed))"
      #expect(try await connector.users().isEmpty != isSignIn, "\(row)")
    }
  }

  @Test("The settings complete a policy without a kind, and replace nothing that it names")
  func completedPolicy() async throws {
    let scene = Scene(policies: [LocalPolicy("B2C_1_Way", .signUpOrSignIn)])
    for (given, listed, sent) in [
      ("google.com", "facebook.com", "google.com"), (nil, "facebook.com", "facebook.com"),
      ("google.com", nil, "google.com"),
    ] as [(String?, String?, String)] {
      var settings = try scene.settings()
      settings.policies = .init(others: [try Policy(id: "B2C_1_Way", kind: .signIn, domainHint: listed)])
      let connector = try scene.connector(settings)
      try await connector.signIn(policy: Policy(id: "b2c_1_way", domainHint: given))
      let page = try #require(scene.tenant.requests.last { $0.query["response_type"] == "code" })
      #expect(page.query["domain_hint"] == sent && page.query["p"] == "B2C_1_Way")
    }
  }

  @Test("The engine's numbers can be set, and what asks the user before a refresh")
  func configuring() async throws {
    let scene = Scene()
    // An id_token that counts from 400 seconds later on.
    scene.tenant.behavior.changeIDTokenClaims = { $0["nbf"] = .number(($0["nbf"]?.double ?? 0) + 400) }
    let cache = InMemoryTokenCache()
    let connector = try scene.connector(cache: cache) {
      $0.expiryMargin = .seconds(1_000)
      $0.clockSkew = .seconds(500)
    }
    let user = try await connector.doPolicy(.signIn)
    await scene.clock.advance(by: .seconds(2_700))
    _ = try await connector.accessToken()
    #expect(scene.tenant.counters.refreshes == 1)
    let asked = Recorder<String>()
    let asking = try scene.connector(cache: cache) { $0.beforeRefresh = { asked.record($0.id) } }
    _ = try await asking.accessToken(forceRefresh: true)
    #expect(asked.values == [user.id])
  }

  @Test(
    "However negative the margin, no expired token is served",
    arguments: [.seconds(-1), .seconds(-50), .seconds(-86_400), .seconds(Int64.min), .nanoseconds(-1)] as [Duration])
  func negativeMargin(_ margin: Duration) async throws {
    let scene = Scene()
    let connector = try scene.connector { $0.expiryMargin = margin }
    try await connector.doPolicy(.signIn)
    await scene.clock.advance(by: .seconds(3_590))
    _ = try await connector.accessToken()
    #expect(scene.tenant.counters.refreshRequests == 0)
    await scene.clock.advance(by: .seconds(10))
    let token = try await connector.accessToken()
    #expect(scene.tenant.counters.refreshRequests == 1 && token.expiresAt > scene.clock.date)
  }

  @Test("A negative skew refuses no right token", arguments: [.seconds(-600), .seconds(Int64.min)] as [Duration])
  func negativeSkew(_ skew: Duration) async throws {
    let scene = Scene()
    let connector = try scene.connector { $0.clockSkew = skew }
    try await connector.doPolicy(.signIn)
    await scene.clock.advance(by: .seconds(3_700))
    scene.tenant.users[0].displayName = "Renamed"
    _ = try await connector.accessToken()
    #expect(try await connector.users().map(\.name) == ["Renamed"])
  }

  @Test(
    "Without time for an answer no refresh token is sent, which would be lost",
    arguments: [.zero, .seconds(-1), .seconds(Int64.min)] as [Duration])
  func noTime(_ deadline: Duration) async throws {
    let cache = DictionaryCache()
    let scene = Scene(cache: cache)
    let connector = try await scene.signedIn()
    await scene.clock.advance(by: .seconds(3_700))
    let hasty = try scene.connector(cache: cache) { $0.limits.deadline = deadline }
    await expectError(ConnectorError.self, .timedOut) { try await hasty.accessToken() }
    await hasty.close()
    #expect(scene.tenant.counters.refreshRequests == 0)
    _ = try await connector.accessToken()
    #expect(scene.tenant.counters.refreshRequests == 1)
  }

  @Test("A cache of under thirty lines plugs in")
  func ownCache() async throws {
    let cache = DictionaryCache()
    let connector = try await Scene(cache: cache).signedIn()
    #expect(await cache.keys().count == 1)
    _ = try await connector.getTaskList()
    try await connector.signOut()
    #expect(await cache.keys().isEmpty)
  }
}

/// What an app may write: four methods over a dictionary.
actor DictionaryCache: TokenCache {
  private var records: [TokenCacheKey: TokenRecord] = [:]

  func record(for key: TokenCacheKey) -> TokenRecord? { records[key] }
  func store(_ record: TokenRecord, for key: TokenCacheKey) { records[key] = record }
  func removeRecord(for key: TokenCacheKey) { records[key] = nil }
  func keys() -> [TokenCacheKey] { Array(records.keys) }
}
