import B2CConnector
import B2CTestKit
import Foundation
import TestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The wiring that `B2CTestKit` has for an app's tests.
@Suite(.descriptors(), .hangLimit)
struct LocalConnectorTests {
  @Test("A connector for a test takes one line, and its retries never hang")
  func local() async throws {
    let tenant = LocalTenant()
    let server = LocalTaskServer(tenant: tenant)
    let connector = try Connector.local(tenant, server)
    try await connector.doPolicy(.signIn)
    try await connector.addTask(TaskItem(itemName: "Buy milk"))
    server.faults = [LocalFault(on: .method("GET"), times: 2, .respond(LocalResponse(status: 503)))]
    #expect(try await connector.getTaskList().map(\.itemName) == ["Buy milk"])
    server.faults = [LocalFault(on: .method("GET"), .never)]
    await expectError(ConnectorError.self, .timedOut) { try await connector.getTaskList() }
  }

  @Test("An updated task is the server's")
  func update() async throws {
    let tenant = LocalTenant()
    let server = LocalTaskServer(tenant: tenant, dialect: .rest)
    let connector = try Connector.local(tenant, server)
    try await connector.doPolicy(.signIn)
    var task = try await connector.addTask(TaskItem(itemName: "Buy milk"))
    task.completed = true
    // `/tasks/{id}` in every dialect.
    #expect(try await connector.updateTask(task) == task)
    #expect(server.tasks.map(\.completed) == [true])
  }

  @Test("Settings of a tenant on this machine say which kind of service it is", .hangLimit)
  func startedSettings() async throws {
    let kinds: [LocalTenant.Shape: Authority.Kind] = [
      .b2c: .b2c, .entra: .entra, .ciam: .ciam, .openIDConnect: .openIDConnect,
    ]
    for (shape, kind) in kinds {
      let tenant = LocalTenant(shape: shape)
      try await tenant.start()
      let settings = try tenant.settings()
      #expect(settings.authority.kind(for: settings.policies.all.first) == kind)
      #expect(try settings.validate().isEmpty)
      await tenant.stop()
    }
  }

  @Test(
    "A tenant that was restarted ends the sessions of the one before",
    arguments: [LocalTenant.Shape.b2c, .entra, .ciam, .openIDConnect])
  func restarted(_ shape: LocalTenant.Shape) async throws {
    let cache = InMemoryTokenCache()
    let user = try await Connector.local(LocalTenant(shape: shape), cache: cache).doPolicy(.signIn)
    let connector = try Connector.local(LocalTenant(shape: shape), cache: cache)
    #expect(try await connector.session == .signedIn(user))
    let error = await #expect(throws: ConnectorError.self) { try await connector.accessToken(forceRefresh: true) }
    #expect(error?.needsInteraction == true)
    let session = try await connector.session
    if case .expired(let ended) = session { #expect(ended.id == user.id) } else { Issue.record("\(session)") }
    try await connector.doPolicy(.signIn)
    #expect(try await !connector.accessToken(forceRefresh: true).scopes.isEmpty)
  }

  @Test("Scopes of a second API are consented to at the sign-in, and redeemed for later")
  func additionalScopes() async throws {
    let tenant = LocalTenant(shape: .entra)
    var settings = try tenant.settings()
    settings.additionalScopes = ["https://graph.microsoft.com/User.Read"]
    var environment = Connector.Environment()
    environment.transport = tenant.transport
    environment.cache = InMemoryTokenCache()
    environment.presenter = ScriptedPresenter(transport: tenant.transport, .signIn(.alice))
    let connector = try Connector(settings: settings, environment: environment)
    try await connector.signIn()
    let sent = tenant.requests.first { $0.query["scope"] != nil }?.query["scope"] ?? ""
    #expect(sent.contains("User.Read") && sent.contains("tasks/read"))
    #expect(try await connector.accessToken().scopes.contains { $0.hasSuffix("tasks/read") })
    let graph = try await connector.accessToken(scopes: settings.additionalScopes)
    #expect(graph.scopes.contains { $0.hasSuffix("User.Read") })
    #expect(tenant.counters.refreshRequests == 1)
  }

  @Test("Id_tokens carry the hash of the access token")
  func accessTokenHash() async throws {
    let user = try await Connector.local(LocalTenant()).doPolicy(.signIn)
    // The connector has compared it: a wrong one is no sign-in.
    #expect(user.claims["at_hash"]?.string?.isEmpty == false)
  }

  @Test("Settings of a local tenant name what the tenant has", arguments: [LocalTenant.Shape.b2c, .entra, .ciam])
  func settings(_ shape: LocalTenant.Shape) throws {
    let tenant = LocalTenant(shape: shape)
    let settings = try tenant.settings(taskServer: LocalTaskServer(tenant: tenant))
    #expect(settings.clientID == tenant.clientID && settings.scopes == tenant.apiScopes)
    #expect(settings.taskWebAPI?.absoluteString == "https://tasks.example/tasks")
    #expect((settings.policies.emailSignIn == nil) == (shape != .b2c))
    #expect(settings.authority == (try Authority(tenant.authority())))
  }

  @Test("A connector for a test has every policy of the tenant, and resets a forgotten password")
  func everyPolicy() async throws {
    let tenant = LocalTenant()
    let settings = try tenant.settings()
    #expect(Set(settings.policies.all.map(\.id)) == Set(LocalPolicy.standard.map(\.id)))
    #expect(try settings.validate().isEmpty)
    let presenter = ScriptedPresenter(
      transport: LocalNetwork(tenant), .signIn(.alice), .editProfile(displayName: "Alice B."))
    let user = try await Connector.local(tenant, presenter: presenter).doPolicy(.profileEdit)
    #expect(user.name == "Alice B.")
    let forgetful = ScriptedPresenter(
      transport: LocalNetwork(tenant), .forgotPassword,
      .resetPassword(email: LocalUser.bob.email, newPassword: "Another-2"))
    #expect(try await Connector.local(tenant, presenter: forgetful).doPolicy(.signIn).name == LocalUser.bob.displayName)
  }

  @Test("Policies of a local tenant have the kinds of the settings, whichever provider they lead to")
  func policyKinds() async throws {
    let google = LocalPolicy("B2C_1_Google", .federatedSignIn, identityProvider: "google.com")
    for (policies, id, provider) in [
      ([.signIn, google], "B2C_1_Google", "google.com"),
      ([google, .signIn, .facebookSignIn], "B2C_1_FacebookSignIn", "facebook.com"),
      ([LocalPolicy("B2C_1_Any", .federatedSignIn)], "B2C_1_Any", "facebook.com"),
    ] as [([LocalPolicy], String, String)] {
      let tenant = LocalTenant(policies: policies)
      #expect(Set(try tenant.settings().policies.all.map(\.id)) == Set(policies.map(\.id)))
      let user = try await Connector.local(tenant).doPolicy(.federatedSignIn)
      #expect(user.policyID == id && user.identityProvider == provider)
    }
    for kind in Policy.Kind.allCases {
      let tenant = LocalTenant(policies: [LocalPolicy("B2C_1_One", kind)])
      #expect(try tenant.settings().policies.all.map(\.kind) == [kind])
    }
  }

  @Test("A page of a federated policy is not shown for another provider's hint")
  func domainHint() async throws {
    let google = LocalPolicy("B2C_1_Google", .federatedSignIn, identityProvider: "google.com")
    let tenant = LocalTenant(policies: [.signIn, google])
    for (hint, provider) in [("google.com", "google.com"), ("facebook.com", nil)] as [(String, String?)] {
      var options = SignInOptions()
      options.domainHint = hint
      let user = try await Connector.local(tenant).doPolicy(.signIn, options: options)
      #expect(user.identityProvider == provider)
    }
  }

  @Test(
    "Settings of a local tenant are as those of a file have to be", arguments: [LocalTenant.Shape.b2c, .entra, .ciam])
  func validating(_ shape: LocalTenant.Shape) async throws {
    let tenant = LocalTenant(shape: shape)
    let server = LocalTaskServer(tenant: tenant)
    #expect(throws: Never.self) { try tenant.settings(taskServer: server).validate() }
    try await tenant.start()
    try await server.start()
    #expect(throws: Never.self) { try tenant.settings(taskServer: server).validate() }
    await tenant.stop()
    await server.stop()
  }
}
