import B2CConnector
import B2CTestKit
import Foundation
import Testing

/// The wiring that `B2CTestKit` has for an app's tests.
@Suite(.timeLimit(.minutes(5)))
struct LocalConnectorTests {
  @Test("A connector for a test takes one line, and its retries never hang")
  func local() async throws {
    let tenant = LocalTenant()
    let server = LocalTaskServer(tenant: tenant)
    let connector = try Connector.local(tenant, server)
    try await connector.doPolicy(.signIn)
    try await connector.addTask(TaskItem(itemName: "Buy milk"))
    server.faults = [LocalFault(on: .list, times: 2, .respond(TransportResponse(status: 503)))]
    #expect(try await connector.getTaskList().map(\.itemName) == ["Buy milk"])
    server.faults = [LocalFault(on: .list, .never)]
    await #expect(throws: ConnectorError(.timedOut, "")) { try await connector.getTaskList() }
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

  @Test("Settings of a local tenant name what the tenant has", arguments: [LocalTenant.Shape.b2c, .entra, .ciam])
  func settings(_ shape: LocalTenant.Shape) throws {
    let tenant = LocalTenant(shape: shape)
    let settings = try tenant.settings(taskServer: LocalTaskServer(tenant: tenant))
    #expect(settings.clientID == tenant.clientID && settings.scopes == tenant.apiScopes)
    #expect(settings.taskWebAPI?.absoluteString == "https://tasks.example/tasks")
    #expect((settings.policies.emailSignIn == nil) == (shape != .b2c))
    #expect(settings.authority == (try Authority(tenant.authority())))
  }

  @Test(
    "Settings of a local tenant can be written as a settings.plist", arguments: [LocalTenant.Shape.b2c, .entra, .ciam])
  func writing(_ shape: LocalTenant.Shape) async throws {
    let tenant = LocalTenant(shape: shape)
    let server = LocalTaskServer(tenant: tenant)
    #expect(throws: Never.self) { try tenant.settings(taskServer: server).propertyList() }
    try await tenant.start()
    try await server.start()
    #expect(throws: Never.self) { try tenant.settings(taskServer: server).propertyList() }
    await tenant.stop()
    await server.stop()
  }
}
