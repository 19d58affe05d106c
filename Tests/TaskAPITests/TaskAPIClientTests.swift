import B2CIDToken
import B2CTestKit
import Foundation
import TestSupport
import Testing

/// The client with a real transport and with each kind of server.
@Suite(.hangLimit)
struct TaskAPIClientTests {
  private let tenant = LocalTenant()

  /// An access token of the tenant, as a signed-in user would have it.
  private func token(owner: String = LocalUser.alice.id) throws -> String {
    let now = Int64(Date().timeIntervalSince1970)
    return try tenant.signingKeys[0].token(claims: [
      "iss": .string(tenant.issuer), "aud": .string(tenant.apiClientID), "sub": .string(owner), "oid": .string(owner),
      "azp": .string(tenant.clientID), "nbf": .integer(now - 60), "exp": .integer(now + 3600),
    ])
  }

  /// A client of a server in memory.
  private func client(_ server: LocalTaskServer, _ dialect: TaskDialect) throws -> TaskAPIClient {
    let token = try token()
    return try TaskAPIClient(baseURL: server.url, dialect: dialect, transport: server.transport) { token }
  }

  @Test("The task client alone adds, changes, lists and deletes with the closure's token over the network")
  func alone() async throws {
    let server = LocalTaskServer(tenant: tenant, dialect: .rest)
    try await server.start()
    let myToken = try token()
    // No clock ends a call here, however slow the machine is.
    let client = try TaskAPIClient(baseURL: server.url, dialect: .rest, limits: .patient) { myToken }
    var task = try await client.add(TaskItem(itemName: "Buy milk"))
    task.completed = true
    task.itemName = "Buy oat milk"
    #expect(try await client.update(task) == task)
    #expect(try await client.list() == [task])
    #expect(server.tasks.map(\.id) == [task.id])
    try await client.delete(task)
    #expect(server.tasks.isEmpty)
    await server.stop()
  }

  @Test("The arguments of the initialiser are the client's, with the connector's defaults")
  func arguments() async throws {
    let transport = CannedTransport(statuses: 204, 204, 503)
    let url = try url("https://tasks.example/tasks")
    let plain = try TaskAPIClient(baseURL: url, transport: transport) { "token" }
    try await plain.add(TaskItem(itemName: "x"))
    let other = try TaskAPIClient(baseURL: url, dialect: .rest, limits: .standard, retry: .none, transport: transport) {
      "token"
    }
    try await TaskCall.delete.run(other)
    #expect(await taskError { _ = try await other.list() }?.status == 503)
    #expect(transport.limits.map(\.maximumBodyBytes) == [32 << 20, 1 << 20, 1 << 20])
    #expect(transport.requests[1].httpBody == nil && transport.unused == 0)
  }

  @Test(
    "Of two tasks with one title, a server that routes by id deletes one, also when the title goes along",
    arguments: [TaskDialect.rest, .tutorial])
  func sameTitle(_ dialect: TaskDialect) async throws {
    let server = LocalTaskServer(tenant: tenant, dialect: .rest)
    let client = try client(server, dialect)
    let first = try await client.add(TaskItem(itemName: "Buy milk"))
    let second = try await client.add(TaskItem(itemName: "Buy milk"))
    try await client.delete(first)
    #expect(server.tasks.map(\.id) == [second.id])
    #expect(await taskError { try await client.delete(first) }?.code == .notFound)
    #expect(server.tasks.map(\.id) == [second.id])
  }

  static let known: [TaskDialect] = [.tutorial, .repository]

  @Test("The known servers delete every task with the title, and no other", arguments: known)
  func byTitle(_ dialect: TaskDialect) async throws {
    let server = LocalTaskServer(tenant: tenant, dialect: dialect)
    let client = try client(server, dialect)
    let task = try await client.add(TaskItem(itemName: "Buy milk"))
    try await client.add(TaskItem(itemName: "Buy milk"))
    try await client.add(TaskItem(itemName: "Walk the dog"))
    let other = LocalTask(owner: LocalUser.bob.id, text: "Buy milk", date: Date())
    server.tasks.append(other)
    try await client.delete(task)
    #expect(server.tasks.map(\.text) == ["Walk the dog", "Buy milk"] && server.tasks.last == other)
    #expect(await taskError { try await client.update(task) }?.code == .unsupported)
  }

  @Test(
    "No deletion makes a known server delete all tasks, whatever the dialect that is configured", arguments: known,
    known)
  func neverAll(_ known: TaskDialect, _ dialect: TaskDialect) async throws {
    let server = LocalTaskServer(tenant: tenant, dialect: known)
    let owner = LocalUser.alice.id
    let kept = LocalTask(owner: owner, text: "Walk the dog", date: Date())
    for id in [nil, "1"] {
      server.tasks = [LocalTask(id: "1", owner: owner, text: "Buy milk", date: Date()), kept]
      try await client(server, dialect).delete(TaskItem(itemName: "Buy milk", serverID: id))
      #expect(server.tasks == [kept])
    }
  }
}
