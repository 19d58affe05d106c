import B2CConnector
import B2CTestKit
import Foundation
import TestSupport
import Testing

/// The wiring that `B2CTestKit` has for an app's tests.
@Suite(.descriptors(), .hangLimit)
struct LocalConnectorTests {
  @Test(
    "A connector for a test takes one line, in every dialect, and its retries never hang",
    arguments: [TaskDialect.tutorial, .repository, .rest])
  func local(_ dialect: TaskDialect) async throws {
    let tenant = LocalTenant()
    let server = LocalTaskServer(tenant: tenant, dialect: dialect)
    let connector = try Connector.local(tenant, server)
    let user = try await connector.doPolicy(.signIn)
    // The connector has compared it, because a wrong one is no sign-in.
    #expect(user.claims["at_hash"]?.string?.isEmpty == false)
    let milk = try await connector.addTask(TaskItem(itemName: "Buy milk"))
    try await connector.addTask(TaskItem(itemName: "Feed the cat"))
    try await connector.deleteTask(milk)
    server.faults = [LocalFault(on: .method("GET"), times: 2, .respond(LocalResponse(status: 503)))]
    #expect(try await connector.getTaskList().map(\.itemName) == ["Feed the cat"])
    server.faults = [LocalFault(on: .method("GET"), .never)]
    await expectError(ConnectorError.self, .timedOut) { try await connector.getTaskList() }
  }

  @Test(
    "Settings of a local tenant name what the tenant has, and validate, in memory and at a port",
    arguments: [
      (LocalTenant.Shape.b2c, Authority.Kind.b2c), (.entra, .entra), (.ciam, .ciam), (.openIDConnect, .openIDConnect),
    ])
  func settings(_ shape: LocalTenant.Shape, _ kind: Authority.Kind) async throws {
    let tenant = LocalTenant(shape: shape)
    let server = LocalTaskServer(tenant: tenant)
    var settings = try tenant.settings(taskServer: server)
    #expect(settings.clientID == tenant.clientID && settings.scopes == tenant.apiScopes)
    #expect(settings.taskWebAPI?.absoluteString == "https://tasks.example/tasks")
    #expect((settings.policies.emailSignIn == nil) == (shape != .b2c))
    if shape != .openIDConnect {
      #expect(settings.authority == (try Authority(tenant.authority())))
      #expect(throws: Never.self) { try settings.validate() }
    }
    try await tenant.start()
    try await server.start()
    #expect(throws: Never.self) { try tenant.settings(taskServer: server).validate() }
    settings = try tenant.settings()
    #expect(settings.authority.kind(for: settings.policies.all.first) == kind)
    #expect(try settings.validate().isEmpty)
    await tenant.stop()
    await server.stop()
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
    #expect(try await connector.session == .expired(user.expired))
    try await connector.doPolicy(.signIn)
    #expect(try await !connector.accessToken(forceRefresh: true).scopes.isEmpty)
  }

  private static let google = LocalPolicy("B2C_1_Google", .federatedSignIn, identityProvider: "google.com")

  @Test(
    "Policies of a local tenant have the kinds of the settings, whichever provider they lead to",
    arguments: [
      (LocalPolicy.standard, "B2C_1_FacebookSignIn", "facebook.com"),
      ([.signIn, google], "B2C_1_Google", "google.com"),
      ([google, .signIn, .facebookSignIn], "B2C_1_FacebookSignIn", "facebook.com"),
      ([LocalPolicy("B2C_1_Any", .federatedSignIn)], "B2C_1_Any", "facebook.com"),
    ] as [([LocalPolicy], String, String)])
  func policyKinds(_ policies: [LocalPolicy], _ id: String, _ provider: String) async throws {
    let tenant = LocalTenant(policies: policies)
    #expect(Set(try tenant.settings().policies.all.map(\.id)) == Set(policies.map(\.id)))
    let user = try await Connector.local(tenant).doPolicy(.federatedSignIn)
    #expect(user.policyID == id && user.identityProvider == provider)
    for kind in Policy.Kind.allCases {
      #expect(try LocalTenant(policies: [LocalPolicy("B2C_1_One", kind)]).settings().policies.all.map(\.kind) == [kind])
    }
  }

  @Test("A page of a federated policy is not shown for another provider's hint")
  func domainHint() async throws {
    let tenant = LocalTenant(policies: [.signIn, Self.google])
    for (hint, provider) in [("google.com", "google.com"), ("facebook.com", nil)] as [(String, String?)] {
      let user = try await Connector.local(tenant).doPolicy(.signIn, options: SignInOptions(domainHint: hint))
      #expect(user.identityProvider == provider)
    }
  }
}
